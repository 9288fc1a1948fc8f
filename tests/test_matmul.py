# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The @ operator: vectors, matrices and stacks of them."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, PAIRS, epsilon, kind, promote
from _support.samples import ordinary

import gpuarray

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 18)),
    ((64, 64), (64, 64)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 5, 2, 3), (6, 1, 3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((2, 3), (3, 0)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 4)),
]


def whole_numbers(dtype, shape, seed):
    """Small integers, whose products and sums are exact in every dtype."""
    values = np.random.default_rng([seed, *shape]).integers(0, 4, shape)
    return (values if kind(dtype) in "bu" else values - 1).astype(dtype)


def reference(x, y):
    dtype = promote(x.dtype, y.dtype)
    if kind(dtype) == "f" and dtype.itemsize == 2:
        return np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(dtype)
    return np.matmul(x.astype(dtype), y.astype(dtype))


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_every_shape(device, shapes):
    for dtype in (np.float32, np.float64, np.int32, np.complex64):
        x, y = whole_numbers(dtype, shapes[0], 1), whole_numbers(dtype, shapes[1], 2)
        got = gpuarray.to_device(x) @ gpuarray.to_device(y)
        assert isinstance(got, gpuarray.GPUArray)
        assert_same(got, np.asarray(x @ y), signed_zero=False)


def test_every_pair_of_dtypes(device):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a}, {b}", check_pair, a, b)
    cases.finish()


def check_pair(a, b):
    x, y = whole_numbers(a, (3, 5), 1), whole_numbers(b, (5, 2), 2)
    got = gpuarray.to_device(x) @ gpuarray.to_device(y)
    assert_same(got, reference(x, y), signed_zero=False)


@pytest.mark.parametrize("left", layouts.ALL, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("right", layouts.ALL, ids=lambda layout: layout.__name__)
def test_every_layout(device, left, right):
    x, y = whole_numbers(np.float32, (4, 9, 7), 1), whole_numbers(np.float32, (4, 7, 6), 2)
    assert_same(left(x) @ right(y), x @ y, signed_zero=False)


def test_broadcast_strides(device):
    x, y = whole_numbers(np.float64, (1, 4, 5), 1), whole_numbers(np.float64, (3, 5, 2), 2)
    assert_same(gpuarray.to_device(x) @ gpuarray.to_device(y), x @ y, signed_zero=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_accuracy_of_long_sums(device, dtype):
    x, y = ordinary(dtype, (20, 700), 1), ordinary(dtype, (700, 30), 2)
    exact = x.astype(np.clongdouble) @ y.astype(np.clongdouble)
    error = np.abs((gpuarray.to_device(x) @ gpuarray.to_device(y)).get() - exact)
    scale = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64)
    assert (error <= 50 * epsilon(np.dtype(dtype).type(0).real.dtype) * scale).all()


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
def test_halves_are_summed_in_float32(device, dtype):
    x = np.full((1, 4096), 1.0).astype(dtype)
    got = gpuarray.to_device(x) @ gpuarray.to_device(x.T)
    assert got.astype(np.float32).item() == 4096.0


def test_nan_and_infinity(device):
    x = np.array([[np.inf, 1.0], [np.nan, 0.0]])
    y = np.array([[1.0, 0.0], [2.0, 1.0]])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal((gpuarray.to_device(x) @ gpuarray.to_device(y)).get(), x @ y)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (2, 3)), ((3,), (4,)), ((2, 3), (4,)), ((4,), (3, 2)), ((2, 2, 3), (3, 3, 4))],
    ids=str,
)
def test_shapes_that_do_not_fit(device, a, b):
    with pytest.raises(ValueError, match="matmul"):
        gpuarray.ones(a) @ gpuarray.ones(b)


def test_scalars_are_refused(device):
    for a, b in [((), (3,)), ((3,), ()), ((), ())]:
        with pytest.raises(ValueError, match="matmul"):
            gpuarray.ones(a) @ gpuarray.ones(b)
    with pytest.raises((TypeError, ValueError), match="matmul"):
        gpuarray.ones(3) @ 2.0


def test_ndarray_is_refused(device):
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.ones((2, 2)) @ np.ones((2, 2))
    with pytest.raises(TypeError, match="to_device"):
        np.ones((2, 2)) @ gpuarray.ones((2, 2))


def test_in_place(device):
    x, y = whole_numbers(np.float64, (4, 4), 1), whole_numbers(np.float64, (4, 4), 2)
    g = gpuarray.to_device(x)
    before, address = g, g.ptr
    g @= gpuarray.to_device(y)
    assert g is before
    assert g.ptr == address
    assert_same(g, x @ y, signed_zero=False)
    g @= g
    assert_same(g, (x @ y) @ (x @ y), signed_zero=False)
    with pytest.raises(ValueError, match="matmul"):
        g @= gpuarray.ones((4, 2))


def test_functions(device):
    x, y = whole_numbers(np.float64, (2, 3), 1), whole_numbers(np.float64, (3, 2), 2)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    assert_same(gpuarray.matmul(gx, gy), x @ y, signed_zero=False)
    assert_same(gx.dot(gy), x @ y, signed_zero=False)
    out = gpuarray.zeros((2, 2))
    assert gpuarray.matmul(gx, gy, out=out) is out
    assert_same(out, x @ y, signed_zero=False)


def test_every_dtype_against_itself_keeps_it(device):
    for dtype in DTYPES:
        assert (gpuarray.ones((2, 2), dtype) @ gpuarray.ones((2, 2), dtype)).dtype == dtype
