# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays of no dimensions and NumPy's scalars where functions take numbers."""

import re

import numpy as np
import pytest
from _support.numpy_names import check

import gpuarray

MATRIX = np.arange(12.0).reshape(3, 4)
SQUARE = np.arange(9.0).reshape(3, 3)
ROW = np.arange(5)

# `n(2)` is 2 as an array of no dimensions or as a scalar of NumPy's.
CALLS = """
xp.arange(n(2), n(9), n(3))
xp.arange(n(5))
xp.linspace(n(0), n(4), n(5))
xp.logspace(n(0), n(2), n(3), base=n(2))
xp.geomspace(n(1), n(8), n(4))
xp.eye(n(3), n(4), n(1))
xp.identity(n(3))
xp.tri(n(3), n(4), n(1))
xp.tril(m, n(1))
xp.diag(v, n(1))
xp.diagonal(m, n(0), n(1), n(0))
xp.trace(m, n(1))
xp.tril_indices(n(3), n(1), n(4))
xp.triu_indices_from(m, n(1))
xp.full(n(3), n(7))
xp.zeros(n(3))
xp.ones((n(3), n(2)))
xp.zeros_like(m, shape=n(3))
xp.roll(m, n(1), n(1))
xp.roll(m, (n(1), n(2)), (n(0), n(1)))
xp.rot90(m, n(1), (n(1), n(0)))
xp.repeat(m, n(2), n(1))
xp.tile(m, (n(2), n(1)))
xp.reshape(m, n(12))
m.reshape(n(4), n(3))
m.reshape(n(12))
m.transpose(n(1), n(0))
xp.flip(m, n(1))
xp.stack([m, m], n(1))
xp.expand_dims(m, (n(0), n(1)))
xp.moveaxis(m, n(0), n(1))
xp.split(m, n(2), axis=n(1))
xp.clip(m, n(2), n(5))
xp.sum(m, n(1))
xp.sum(m, (n(0), n(1)))
m.argmax(n(1))
xp.std(m, n(1), ddof=n(1))
xp.nanvar(m, ddof=n(1))
xp.quantile(m, n(1), axis=n(0))
xp.nanpercentile(m, n(50), axis=n(1))
xp.sort(m, n(0))
xp.partition(m, n(1), axis=n(0))
xp.take(m, n(1), axis=n(1))
xp.insert(v, n(2), 7)
xp.delete(m, n(2), n(1))
xp.pad(v, n(2), "mean", stat_length=n(2))
xp.diff(m, n(1), n(0))
xp.unwrap(m, discont=n(2), axis=n(1), period=n(6))
xp.gradient(m, n(2), n(3))
xp.bincount(v, minlength=n(9))
xp.histogram(m, n(4), range=(n(0), n(5)))
xp.histogram2d(v, v, n(4))
xp.vander(v, n(3))
xp.unravel_index(v, (n(3), n(4)))
xp.ravel_multi_index((v[:2], v[:2]), (n(3), n(4)))
xp.indices((n(2), n(3)))
xp.round(m, n(1))
xp.isclose(v, v, rtol=n(1), atol=n(0))
xp.polyder(v, n(1))
xp.hamming(n(5))
xp.hanning(n(5))
xp.bartlett(n(5))
xp.blackman(n(5))
xp.kaiser(n(5), n(3))
xp.broadcast_to(v, (n(2), n(5)))
xp.tensordot(s, s, n(1))
xp.apply_along_axis(xp.sum, n(0), m)
xp.apply_over_axes(xp.sum, m, n(0))
xp.unpackbits(v.astype("uint8"), count=n(3))
xp.array(v, ndmin=n(2))
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_numbers_as_arrays_of_no_dimensions(device, call):
    text = re.sub(r"n\((\d+)\)", r"xp.asarray(\1)", call)
    check(lambda xp, m, s, v: eval(text), MATRIX, SQUARE, ROW)


@pytest.mark.parametrize("call", CALLS)
def test_numbers_as_numpys(device, call):
    for kind in ("np.int64", "np.array"):
        text = re.sub(r"n\((\d+)\)", rf"{kind}(\1)", call)
        check(lambda xp, m, s, v, text=text: eval(text), MATRIX, SQUARE, ROW)


@pytest.mark.parametrize("number", [7, np.int64(7), np.uint8(7)])
def test_indices_that_are_numbers(device, number):
    check(lambda xp: tuple(map(xp.asarray, xp.unravel_index(number, (3, 4)))))
    check(lambda xp: xp.asarray(xp.ravel_multi_index((np.int64(1), number), (3, 8))))
    check(lambda xp, v: xp.meshgrid(v, number), ROW)
    check(lambda xp, s: xp.tensordot(s, s, (np.int64(0), np.int64(1))), SQUARE)


@pytest.mark.parametrize("order", [None, "c", "F", "f"])
def test_orders_of_indices(device, order):
    check(lambda xp, v: xp.unravel_index(v, (3, 4), order), ROW)
    check(lambda xp, v: xp.ravel_multi_index((v[:3], v[:3]), (3, 4), order=order), ROW)


def test_what_is_no_shape(device):
    check(lambda xp, v: xp.ravel_multi_index((v, v), (9.0, 9)), ROW)
    check(lambda xp, v: xp.ravel_multi_index((v, v), (-9, 9)), ROW)
    check(lambda xp, v: xp.ravel_multi_index((v, v), (2**40, 2**40)), ROW)
    check(lambda xp, v: xp.ravel_multi_index((v, v), (9, 9), mode=("wrap",)), ROW)
    for mode in ("raise", "wrap", "clip"):
        check(lambda xp, v, mode=mode: xp.ravel_multi_index((v, v), (9, 0), mode), ROW)
    check(lambda xp, v: xp.unravel_index(v, ()), np.zeros(3, int))


# Unsigned numbers, which wrap around where they are subtracted from or negated.
UNSIGNED = """
xp.eye(u(5))
xp.eye(u(5), u(4), -1)
xp.eye(5, k=u(1))
xp.identity(u(16))
xp.tri(u(5))
xp.triu(m, u(1))
xp.diag(m, u(1))
xp.diag(v, u(2))
xp.diagflat(v[:2], np.uint8(1))
xp.diagonal(m, u(1))
xp.diagonal(m, u(200))
m.diagonal(u(1))
xp.trace(m, u(1))
m.trace(u(200))
xp.triu_indices(4, u(1))
xp.rot90(m, u(3))
xp.roll(m, u(3))
xp.roll(m, (u(3), u(200)), (0, u(1)))
xp.repeat(v, np.uint8(3))
xp.diff(m, u(1))
xp.vander(v, u(3))
xp.hanning(u(200))
xp.hamming(u(5))
xp.blackman(u(5))
xp.bartlett(u(5))
xp.bartlett(u(0))
xp.kaiser(u(5), u(3))
""".strip().splitlines()


@pytest.mark.parametrize("call", UNSIGNED)
def test_unsigned_numbers(device, call):
    for u in (np.uint8, np.uint64):
        check(lambda xp, m, v, u=u: eval(call), MATRIX, ROW)
        check(lambda xp, m, v, u=u: _with_arrays(call, xp, m, v, u), MATRIX, ROW)


def _with_arrays(call, xp, m, v, u):
    names = {"xp": xp, "np": np, "m": m, "v": v, "u": lambda n: xp.asarray(u(n))}
    return eval(call, names)


@pytest.mark.parametrize("points", [5.0, 4.5, 5.7, np.float32(5.5), 1.5, 0.5, -3, True, np.inf])
@pytest.mark.parametrize("window", ["hanning", "hamming", "blackman", "bartlett"])
def test_points_of_windows_that_are_no_integers(device, window, points):
    check(lambda xp: getattr(xp, window)(points))


def test_lower_triangles_from_unsigned_diagonals(device):
    # NumPy's own wrap around here.
    for k in (np.uint8(1), np.uint64(1), gpuarray.asarray(np.uint8(1)), np.int8(1)):
        check(lambda xp, m, k=k: xp.tril(m, 1 if xp is np else k), MATRIX)
        check(lambda xp, k=k: xp.tri(4, k=1 if xp is np else k))
        check(lambda xp, k=k: xp.tril_indices(4, 1 if xp is np else k))
