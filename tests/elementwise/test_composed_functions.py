# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that are composition run where their arrays are, and wait for nothing."""

import numpy as np
import pytest
from _support.compare import host

import gpuarray

# Of x, a positive float64 array of shape (4, 6).
QUEUED = {
    "apply_along_axis": lambda g, x: g.apply_along_axis(lambda row: row * 2, 0, x),
    "apply_over_axes": lambda g, x: g.apply_over_axes(g.sum, x, [0, 1]),
    "average": lambda g, x: g.average(x, axis=1, weights=x),
    "convolve": lambda g, x: g.convolve(x[0], x[1]),
    "copyto": lambda g, x: g.copyto(x.copy(), 3, where=x > 1),
    "corrcoef": lambda g, x: g.corrcoef(x),
    "correlate": lambda g, x: g.correlate(x[0], x[1][:3], "same"),
    "cov": lambda g, x: g.cov(x, aweights=x[0]),
    "cross": lambda g, x: g.cross(x[:, :3], x[:, 3:]),
    "diff": lambda g, x: g.diff(x, prepend=0, append=x[:, :1]),
    "ediff1d": lambda g, x: g.ediff1d(x, to_end=1),
    "float_power": lambda g, x: g.float_power(x, 2),
    "gradient": lambda g, x: g.gradient(x, x[:, 0].cumsum(), 2.0, edge_order=2),
    "interp": lambda g, x: g.interp(x, x[0].cumsum(), x[1], left=0, period=None),
    "interp of a period": lambda g, x: g.interp(x, x[0], x[1], period=3.0),
    "isclose": lambda g, x: g.isclose(x, 1.0, equal_nan=True),
    "isin": lambda g, x: g.isin(x, x[0]),
    "max": lambda g, x: g.max(x, axis=0, initial=1, where=x > 0.5),
    "mean": lambda g, x: g.mean(x, axis=0, where=x > 0.5),
    "nan_to_num": lambda g, x: g.nan_to_num(x / 0, posinf=3),
    "nanargmax": lambda g, x: g.nanargmax(x, axis=0),
    "nancumsum": lambda g, x: g.nancumsum(x, axis=0),
    "nanmax": lambda g, x: g.nanmax(x, axis=0),
    "nanmedian": lambda g, x: g.nanmedian(x, axis=0),
    "nanquantile": lambda g, x: g.nanquantile(x, [0.2, 0.7], axis=0),
    "nanstd": lambda g, x: g.nanstd(x, axis=0, ddof=1),
    "packbits": lambda g, x: g.packbits(x > 1, axis=1),
    "piecewise": lambda g, x: g.piecewise(x, [x > 1, x > 2], [lambda v: v * v, 3, 0]),
    "polyint": lambda g, x: g.polyint(x[0], 2, 3),
    "polyval": lambda g, x: g.polyval(x[0], x),
    "ptp": lambda g, x: g.ptp(x, axis=0),
    "round": lambda g, x: g.round(x, 2),
    "select": lambda g, x: g.select([x > 2, x > 1], [x, 7], -1),
    "sinc": lambda g, x: g.sinc(x),
    "sum": lambda g, x: x.sum(axis=0, where=x > 0.5, initial=2),
    "trapezoid": lambda g, x: g.trapezoid(x, x[0].cumsum()),
    "unpackbits": lambda g, x: g.unpackbits(x.astype("uint8"), axis=0, count=20),
    "unwrap": lambda g, x: g.unwrap(x, period=1.5),
    "vander": lambda g, x: g.vander(x[0], 3),
    "var": lambda g, x: g.var(x, axis=0, where=x > 0.5),
}
# The shapes of these depend on elements.
WAITING = {
    "intersect1d": lambda g, x: g.intersect1d(x[0], x[0], return_indices=True),
    "real_if_close": lambda g, x: g.real_if_close(x + 0j),
    "setdiff1d": lambda g, x: g.setdiff1d(x, x[0]),
    "setxor1d": lambda g, x: g.setxor1d(x, x[0]),
    "tril_indices_from": lambda g, x: g.tril_indices_from(x),
    "union1d": lambda g, x: g.union1d(x, x + 1),
}
CALLS = QUEUED | WAITING


def sample():
    return np.random.default_rng(3).random((4, 6)) * 3 + 0.01


def arrays(value):
    if isinstance(value, (tuple, list)):
        return [array for one in value for array in arrays(one)]
    return [] if value is None else [value]


@pytest.mark.cuda
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("place", ["cpu", "cuda:0"])
def test_results_are_on_the_device_of_the_arrays(name, place):
    other = "cuda:0" if place == "cpu" else "cpu"
    with gpuarray.device(place):
        expected = arrays(CALLS[name](gpuarray, gpuarray.to_device(sample())))
    with gpuarray.device(other):
        got = arrays(CALLS[name](gpuarray, gpuarray.to_device(sample(), device=place)))
    assert [array.device for array in got] == [place] * len(expected)
    for one, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(host(one), host(wanted))


@pytest.mark.cuda
@pytest.mark.parametrize("name", QUEUED)
def test_nothing_waits(cuda, name):
    """So that all of it can be captured."""
    x = gpuarray.to_device(sample())
    expected = [host(array) for array in arrays(QUEUED[name](gpuarray, x))]
    with gpuarray.capture() as graph:
        made = arrays(QUEUED[name](gpuarray, x))
    graph.launch()
    for one, wanted in zip(made, expected, strict=True):
        np.testing.assert_array_equal(host(one), wanted)
