# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""top_k compared with the first elements of NumPy's stable sort."""

import numpy as np
import pytest
from _support.special_values import DTYPES, sample

import gpuarray


def best(x, k, axis, largest):
    """The first k positions of a stable sort, in which NaN is the largest."""
    order = np.argsort(np.flip(x, axis) if largest else x, axis=axis, kind="stable")
    if largest:
        order = np.flip(x.shape[axis] - 1 - order, axis)
    return np.take(order, range(k), axis)


def check(a, x, k, axis, largest):
    places = best(x, k, axis, largest)
    made = gpuarray.top_k(a, k, axis, largest=largest)
    assert made._fields == ("values", "indices")
    assert (made.values.dtype, made.indices.dtype) == (a.dtype, np.int64)
    assert made.values.flags.c_contiguous
    assert made.indices.flags.c_contiguous
    np.testing.assert_array_equal(made.indices.get(), places)
    np.testing.assert_array_equal(made.values.get(), np.take_along_axis(x, places, axis))


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("shape", [(1,), (7,), (4, 5), (3, 4, 5), (2, 0, 3)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_along_each_axis(device, dtype, shape, largest):
    x = sample(dtype, shape)
    a = gpuarray.to_device(x)
    for axis in range(-1, len(shape)):
        for k in {0, min(1, x.shape[axis]), x.shape[axis] // 2, x.shape[axis]}:
            check(a, x, k, axis, largest)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows(device, dtype, few, largest):
    x = sample(dtype, (2, 9000), 3, few=few)
    a = gpuarray.to_device(x)
    for k in (1, 5, 2000, 9000):
        check(a, x, k, 1, largest)
        check(a.T, x.T, k, 0, largest)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("numbers", [0, 2, 5000])
def test_rows_of_nan(device, numbers, largest):
    x = np.full(5000, np.nan, np.float32)
    x[5000 - numbers :] = 1
    check(gpuarray.to_device(x), x, 4, 0, largest)


def test_axis_none_and_no_dimensions(device):
    x = sample("float32", (6, 7), few=False)
    made = gpuarray.top_k(gpuarray.to_device(x), 5, None)
    np.testing.assert_array_equal(made.indices.get(), best(x.reshape(-1), 5, 0, True))
    values, indices = gpuarray.top_k(gpuarray.to_device(np.float32(3)), 1)
    assert (values.tolist(), indices.tolist()) == ([3.0], [0])


@pytest.mark.parametrize("length", [30, 3000])
def test_bfloat16(device, length):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = sample("float32", length, 5).astype(ml_dtypes.bfloat16)
    values, indices = gpuarray.top_k(gpuarray.to_device(x), 4)
    np.testing.assert_array_equal(indices.get(), best(x.astype("float32"), 4, 0, True))
    assert values.dtype == x.dtype


def test_streams(device):
    x = sample("int32", 40, few=False)
    made = gpuarray.top_k(gpuarray.to_device(x), 3, largest=False, stream=gpuarray.Stream())
    assert made.values.tolist() == np.sort(x)[:3].tolist()


def test_bad_arguments(device):
    a = gpuarray.ones((2, 3))
    for k in (-1, 4):
        with pytest.raises(ValueError, match=r"top_k: k must be from 0 to 3, the extent of axis 1"):
            gpuarray.top_k(a, k)
    with pytest.raises(TypeError, match=r"top_k: k: expected an int, got float"):
        gpuarray.top_k(a, 1.0)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.top_k(a, 1, 2)
    with pytest.raises(TypeError, match=r"top_k: expected a GPUArray, got numpy.ndarray"):
        gpuarray.top_k(np.ones(3), 1)


def test_modes(device):
    """The mode is that of NumPy 2.6 and of the array API; `largest` is an older name for it."""
    x = np.array([[3, 1, 2, 3], [4, 0, 0, 5]], np.int16)
    a = gpuarray.to_device(x)
    for is_largest, mode in ((True, "largest"), (False, "smallest")):
        for axis, is_sorted in ((-1, True), (0, False)):
            made = gpuarray.top_k(a, 2, axis=axis, mode=mode, sorted=is_sorted)
            places = best(x, 2, axis, is_largest)
            np.testing.assert_array_equal(made.indices.get(), places)
            np.testing.assert_array_equal(made.values.get(), np.take_along_axis(x, places, axis))
        same = gpuarray.top_k(a, 2, mode=mode, largest=is_largest)
        np.testing.assert_array_equal(same.values.get(), gpuarray.top_k(a, 2, mode=mode).values)
    with pytest.raises(ValueError, match="mode must be 'largest' or 'smallest', got 'best'"):
        gpuarray.top_k(a, 2, mode="best")
    with pytest.raises(ValueError, match="contradicts"):
        gpuarray.top_k(a, 2, mode="smallest", largest=True)
