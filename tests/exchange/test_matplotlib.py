# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Pictures of GPUArrays are those of their elements, and take no longer."""

import time

import numpy as np
import pytest

import gpuarray

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402

X = np.linspace(0.5, 4, 12)
Y = np.sin(X)
IMAGE = np.outer(X, Y)
PLOTS = {
    "hist": lambda ax, x, y, z: ax.hist(x),
    "hist, edges and weights": lambda ax, x, y, z: ax.hist(x, bins=X[::3], weights=y),
    "hist, edges of the device": lambda ax, x, y, z: ax.hist(x, bins=x, weights=y),
    "hist of the host": lambda ax, x, y, z: ax.hist(X, bins=x),
    "hist of several": lambda ax, x, y, z: ax.hist([x, y]),
    "bar": lambda ax, x, y, z: ax.bar(x, y),
    "bar, widths": lambda ax, x, y, z: ax.bar(x, y, width=abs(y), bottom=x, yerr=abs(y) / 9),
    "barh": lambda ax, x, y, z: ax.barh(x, y),
    "plot": lambda ax, x, y, z: ax.plot(x, y, "r-"),
    "plot of one": lambda ax, x, y, z: ax.plot(y),
    "plot of columns": lambda ax, x, y, z: ax.plot(x, z),
    "semilogy": lambda ax, x, y, z: ax.semilogy(x, abs(y)),
    "step": lambda ax, x, y, z: ax.step(x, y),
    "stem": lambda ax, x, y, z: ax.stem(x, y),
    "scatter": lambda ax, x, y, z: ax.scatter(x, y, s=x * 9, c=y),
    "imshow": lambda ax, x, y, z: ax.imshow(z),
    "pcolormesh": lambda ax, x, y, z: ax.pcolormesh(x, x, z),
    "errorbar": lambda ax, x, y, z: ax.errorbar(x, y, yerr=abs(y) / 9, xerr=abs(y) / 9),
    "fill_between": lambda ax, x, y, z: ax.fill_between(x, y, y + 1),
    "fill_between, where": lambda ax, x, y, z: ax.fill_between(x, y, 0, where=y > 0),
    "boxplot": lambda ax, x, y, z: ax.boxplot(x),
    "boxplot of several": lambda ax, x, y, z: ax.boxplot([x, y]),
    "violinplot": lambda ax, x, y, z: ax.violinplot(x),
    "contour": lambda ax, x, y, z: ax.contour(x, x, z),
    "contourf": lambda ax, x, y, z: ax.contourf(z),
    "quiver": lambda ax, x, y, z: ax.quiver(x, y, x, y),
    "pie": lambda ax, x, y, z: ax.pie(x),
    "hexbin": lambda ax, x, y, z: ax.hexbin(x, y, gridsize=4),
    "hist2d": lambda ax, x, y, z: ax.hist2d(x, y),
    "stackplot": lambda ax, x, y, z: ax.stackplot(x, x, abs(y)),
    "vlines": lambda ax, x, y, z: ax.vlines(x, 0, y),
    "axhline": lambda ax, x, y, z: ax.axhline(y.mean()),
    "text": lambda ax, x, y, z: ax.text(x[1], y[1], "here"),
    "set_xlim": lambda ax, x, y, z: ax.set_xlim(x.min(), x.max()),
}


def drawn(plot, *arrays):
    figure, ax = plt.subplots(figsize=(3, 3), dpi=40)
    try:
        plot(ax, *arrays)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).copy()
    finally:
        plt.close(figure)


@pytest.mark.parametrize("name", PLOTS)
def test_pictures(device, name):
    expected = drawn(PLOTS[name], X, Y, IMAGE)
    got = drawn(PLOTS[name], *map(gpuarray.to_device, (X, Y, IMAGE)))
    np.testing.assert_array_equal(got, expected)


# Those in which copies of single elements would take longer than matplotlib itself.
QUICK = ["hist", "plot", "scatter", "fill_between", "boxplot"]


def seconds(plot, arrays):
    figure, ax = plt.subplots()
    try:
        start = time.perf_counter()
        plot(ax, *arrays)
        return time.perf_counter() - start
    finally:
        plt.close(figure)


@pytest.mark.parametrize("name", QUICK)
def test_time(device, name):
    hosts = [np.linspace(0, 1, 100_000), np.linspace(1, 2, 100_000), IMAGE]
    arrays = [gpuarray.to_device(one) for one in hosts]
    expected = min(seconds(PLOTS[name], hosts) for _ in range(3))
    assert min(seconds(PLOTS[name], arrays) for _ in range(3)) < 2 * expected + 0.05


def test_arrays_of_both_sides_are_broadcast_on_the_host(device):
    """As Axes.bar does: NumPy's function cannot give what is on both sides on one."""
    a = gpuarray.arange(3.0)
    got = np.broadcast_arrays(np.ones((2, 1)), a, 0.5, None)
    assert [type(one) for one in got] == [np.ndarray] * 4
    assert got[1].tolist() == [[0, 1, 2]] * 2
    beside_number = np.broadcast_arrays(np.array(0.5), a)
    assert [one.device for one in beside_number] == [a.device] * 2


@pytest.mark.cuda
def test_transfers_are_guarded(cuda):
    a = gpuarray.to_device(X)
    with gpuarray.transfer_guard("disallow"):
        with pytest.raises(BufferError):
            np.broadcast_arrays(X, a)
        with pytest.raises(BufferError):
            np.asarray(a)
