# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Accumulation at indices that repeat: scatter_add and its kin, and ufunc.at."""

import ml_dtypes
import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.samples import ordinary
from _support.strategies import keys
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

FUNCTIONS = {
    "add": gpuarray.scatter_add,
    "maximum": gpuarray.scatter_max,
    "minimum": gpuarray.scatter_min,
}


def exact(dtype, shape, seed=0):
    """Small whole numbers, whose sums are exact in every dtype and order."""
    values = np.random.default_rng([seed, *shape]).integers(0, 4, shape)
    return values.astype(dtype) if np.dtype(dtype).kind != "b" else values > 1


def reference(name, host, key, values):
    """ufunc.at, for bfloat16 in float32."""
    if host.dtype == ml_dtypes.bfloat16:
        wide = host.astype(np.float32)
        getattr(np, name).at(wide, key, np.asarray(values).astype(np.float32))
        return wide.astype(host.dtype)
    host = host.copy()
    getattr(np, name).at(host, key, values)
    return host


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(device, dtype, name):
    if np.dtype(dtype) == np.complex128 and name != "add":
        pytest.skip("16 bytes are not compared and swapped at once")
    host, values = exact(dtype, (13, 3)), exact(dtype, (60, 3), seed=1)
    key = np.random.default_rng(0).integers(-13, 13, 60)
    x = gpuarray.to_device(host)
    FUNCTIONS[name](x, gpuarray.to_device(key), gpuarray.to_device(values))
    assert_same(x, reference(name, host, key, values))
    FUNCTIONS[name](x[::-1, 1], key, 1)
    expected = reference(name, host, key, values)
    expected[::-1, 1] = reference(name, expected[::-1, 1], key, np.ones((), dtype))
    assert_same(x, expected)


@given(data=st.data())
def test_keys_match_numpy(device, data):
    host = ordinary(np.int64, data.draw(st.lists(st.integers(0, 4), max_size=4).map(tuple)))
    x = gpuarray.to_device(host)
    key = data.draw(keys(host.shape))
    try:
        shape = np.shape(host[key])
    except IndexError:
        return
    values = ordinary(np.int64, shape, seed=3)
    np.add.at(host, key, values)
    gpuarray.scatter_add(x, key, gpuarray.to_device(values))
    assert_same(x, host, what=str(key))


@pytest.mark.parametrize(
    "name",
    ["add", "subtract", "multiply", "maximum", "minimum", "fmax", "bitwise_or", "bitwise_xor"],
)
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64])
def test_ufuncs_of_integers(device, name, dtype):
    host, values = exact(dtype, (11,)), exact(dtype, (80,), seed=1)
    key = np.random.default_rng(2).integers(0, 11, 80)
    x = gpuarray.to_device(host)
    getattr(np, name).at(x, gpuarray.to_device(key), gpuarray.to_device(values))
    getattr(np, name).at(host, key, values)
    assert_same(x, host)


@pytest.mark.parametrize("name", ["subtract", "multiply", "divide", "fmin", "hypot"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_ufuncs_of_floats(device, name, dtype):
    host = ordinary(dtype, (200,))
    key = np.random.default_rng(2).permutation(200)[:150]  # no order of steps
    values = ordinary(dtype, (150,), seed=8)
    values[values == 0] = 1
    x = gpuarray.to_device(host)
    getattr(np, name).at(x, key, gpuarray.to_device(values))
    expected = gpuarray.to_device(host)
    expected[key] = getattr(gpuarray, name)(expected[key], gpuarray.to_device(values))
    assert_same(x, expected.get())


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_runs_of_equal_indices(device, dtype, name):
    """Neighbours with the same index are combined before they reach the element."""
    if np.dtype(dtype) == np.complex128 and name != "add":
        pytest.skip("16 bytes are not compared and swapped at once")
    lengths = np.random.default_rng(5).choice([1, 2, 3, 31, 32, 33, 70], 40)
    key = np.repeat(np.arange(-20, 20), lengths)
    host, values = exact(dtype, (50,)), exact(dtype, key.shape, seed=1)
    for given_values in (values, values[:1]):
        x = gpuarray.to_device(host)
        FUNCTIONS[name](x, gpuarray.to_device(key), gpuarray.to_device(given_values))
        assert_same(x, reference(name, host, key, given_values))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "multiply"])
def test_runs_of_other_functions(device, name):
    key = np.repeat([3, 0, 3, 1, 2], [40, 1, 5, 33, 64])
    host = np.random.default_rng(1).integers(-99, 99, 4)
    values = np.random.default_rng(2).integers(-99, 99, key.size)
    x = gpuarray.to_device(host)
    getattr(np, name).at(x, gpuarray.to_device(key), gpuarray.to_device(values))
    getattr(np, name).at(host, key, values)
    assert_same(x, host)


def test_zeros_keep_their_sign(device):
    x = gpuarray.to_device(np.full(3, -0.0, np.float32))
    gpuarray.scatter_add(x, [0, 0, 1, 1], gpuarray.to_device(np.float32([-0.0, -0.0, -0.0, 0.0])))
    assert np.signbit(x.get()).tolist() == [True, False, True]


def test_sums_of_few_bits_do_not_overflow_before_they_meet(device):
    x = gpuarray.to_device(np.float16([-60000, 1]))
    gpuarray.scatter_add(x, [0, 0, 1], gpuarray.to_device(np.float16([40000, 40000, 1])))
    assert x.tolist() == [20000, 2]


def test_runs_end_at_indices_out_of_bounds(device):
    x = gpuarray.zeros(4, np.int64)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        gpuarray.scatter_add(x, gpuarray.to_device([1, 1, 9, 9, 1, 1, 2]), gpuarray.arange(7))
        x.get()
    assert x.tolist() in ([0, 10, 6, 0], [0, 0, 0, 0])  # on cuda, and on the cpu device


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [1000, 1 << 21], ids=["few", "many"])
@pytest.mark.parametrize(
    "name, dtype",
    [("add", np.int32), ("add", np.int8), ("add", np.complex128), ("maximum", np.float32)],
)
def test_many_values(device, name, dtype, distinct):
    """So many values that blocks keep partial results of the elements that repeat."""
    size = (1 << 22) + 77
    rng = np.random.default_rng(distinct)
    key = rng.integers(0, distinct, size) * ((1 << 21) // distinct)
    host = rng.integers(-9, 9, 1 << 21).astype(dtype)
    values = rng.integers(-1000, 1000, size).astype(dtype)
    x = gpuarray.to_device(host)
    FUNCTIONS[name](x, gpuarray.to_device(key), gpuarray.to_device(values))
    assert_same(x, reference(name, host, key, values))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, dtype", [("add", np.float32), ("minimum", np.int64), ("add", np.complex64)]
)
def test_many_values_that_are_far_apart(device, name, dtype):
    """So many values are brought to parts of neighbouring elements first."""
    size, length = (1 << 24) + 77, (1 << 27) // np.dtype(dtype).itemsize
    rng = np.random.default_rng(4)
    key = rng.integers(-length, length, size)
    host = np.zeros(length, dtype)
    values = rng.integers(-1000, 1000, size).astype(dtype)
    x = gpuarray.to_device(host)
    FUNCTIONS[name](x, gpuarray.to_device(key), gpuarray.to_device(values))
    expected = reference(name, host, key, values)
    assert_same(x, expected)
    key[size // 2] = length
    beyond = gpuarray.to_device(key)
    with pytest.raises(IndexError, match=f"index {length} is out of bounds"):
        FUNCTIONS[name](x, beyond, gpuarray.to_device(values))
        gpuarray.synchronize()
    if gpuarray.Device(device).kind == "cuda":  # which leaves out what is beyond
        key[size // 2] = 0
        values[size // 2] = 0 if name == "add" else 1000
        assert_same(x, reference(name, expected, key, values))


def test_nan_spreads(device):
    x = gpuarray.zeros(3, np.float32)
    gpuarray.scatter_max(x, [0, 0, 1], gpuarray.to_device(np.array([np.nan, 1, 2], np.float32)))
    assert np.isnan(x[0].item())
    assert x.tolist()[1:] == [2, 0]


def test_masks_and_flags(device):
    host = np.arange(6)
    x, mask = gpuarray.to_device(host), host % 2 == 0
    np.add.at(x, gpuarray.to_device(mask), gpuarray.arange(3))
    np.add.at(host, mask, np.arange(3))
    np.add.at(x, True, 1)
    np.add.at(host, True, 1)
    np.add.at(x, slice(2), 1)
    np.add.at(host, slice(2), 1)
    assert_same(x, host)


def test_what_cannot_be_done(device):
    x = gpuarray.zeros(5, np.int32)
    with pytest.raises(TypeError, match="same_kind"):
        np.add.at(x, [0, 1], 1.5)
    with pytest.raises(ValueError, match="could not be broadcast"):
        gpuarray.scatter_add(x, [0, 1], gpuarray.ones(3, np.int32))
    with pytest.raises(TypeError, match="not implemented for dtype complex128"):
        gpuarray.scatter_max(gpuarray.zeros(2, np.complex128), [0], 1)
    with pytest.raises(TypeError, match="GPUArray"):
        gpuarray.scatter_add(np.zeros(5), [0], 1)
    assert not x.get().any()
