# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Indexing by arrays of integers and by masks, mixed with all else, against NumPy."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.process import run_python
from _support.samples import ordinary
from _support.strategies import arrays, broadcastable, keys, shapes, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def outcome(function, *expected_errors):
    try:
        return function()
    except expected_errors as error:
        return type(error)


def on_device(data, key):
    """The key with some of its arrays on the device, others as they are or as lists."""
    if isinstance(key, tuple):
        return tuple(on_device(data, entry) for entry in key)
    if not isinstance(key, np.ndarray) or key.ndim == 0:
        return key
    ways = [gpuarray.to_device, np.asarray] + [np.ndarray.tolist] * (key.size > 0)
    return data.draw(st.sampled_from(ways))(key)


def mixed(data):
    host = data.draw(arrays(data.draw(shapes(max_dims=4, max_side=4))))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    key = data.draw(keys(np.shape(a)))
    return np.asarray(a), x, key, on_device(data, key)


@given(data=st.data())
def test_elements_match_numpy(device, data):
    a, x, key, own = mixed(data)
    expected = outcome(lambda: a[key], IndexError)
    got = outcome(lambda: x[own].get(), IndexError)
    if isinstance(expected, type):
        assert got is expected, (key, got)
    else:
        assert_same(got, np.asarray(expected), what=str(key))


@given(data=st.data())
def test_assignments_match_numpy(device, data):
    a, x, key, own = mixed(data)
    a, x = a.copy(), x.copy()
    target = outcome(lambda: a[key], IndexError)
    shape = () if isinstance(target, type) else np.shape(target)
    if data.draw(st.booleans()):
        value = source = data.draw(st.sampled_from([0, 1, True]))
    else:
        source = data.draw(arrays(data.draw(broadcastable(shape)), a.dtype))
        value = gpuarray.to_device(source)
    errors = (IndexError, ValueError, TypeError)
    expected = outcome(lambda: a.__setitem__(key, source), *errors)
    assert outcome(lambda: x.__setitem__(own, value), *errors) is expected, key
    assert_same(x, a, what=str(key))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(device, dtype):
    host = ordinary(dtype, (7, 5))
    x = gpuarray.to_device(host)
    rows, columns = np.array([6, 0, -3, 0]), np.array([1, -1, 0, 4])
    assert_same(x[rows], host[rows])
    assert_same(x[:, columns], host[:, columns])
    assert_same(x[rows, columns], host[rows, columns])
    new = ordinary(dtype, (4, 5), seed=5)
    host[rows] = new
    x[rows] = gpuarray.to_device(new)
    assert_same(x, host)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64])
def test_every_dtype_of_indices(device, dtype):
    host = np.arange(20.0)
    indices = np.array([3, 19, 0, 7], dtype)
    assert_same(gpuarray.to_device(host)[gpuarray.to_device(indices)], host[indices])


@pytest.mark.parametrize("size", [1, 3, 4, 1023, 1024, 1025, 5000, 70_001])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64, np.complex128])
def test_gathers_of_all_sizes(device, size, dtype):
    host = ordinary(dtype, (999,))
    indices = np.random.default_rng(size).integers(-999, 999, size)
    x = gpuarray.to_device(host)
    assert_same(x[gpuarray.to_device(indices)], host[indices])
    assert_same(x[gpuarray.to_device(indices.astype(np.int32))], host[indices])
    skewed = gpuarray.to_device(np.append(0, indices))[1:]  # not on a boundary of 16 bytes
    assert_same(x[1:][skewed % 998], host[1:][indices % 998])


@pytest.mark.parametrize("shape", [(40, 33), (40, 32), (3, 7, 16), (5, 300), (16, 2, 3)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.complex128])
def test_rows_of_all_widths(device, shape, dtype):
    host = ordinary(dtype, shape)
    x = gpuarray.to_device(host)
    for axis, extent in enumerate(shape):
        indices = np.random.default_rng(axis).integers(0, extent, (9, 4))
        key = (slice(None),) * axis + (indices,)
        assert_same(x[key], host[key])
        assert_same(x[..., ::-1][key], host[..., ::-1][key])
        copy, own = host.copy(), x.copy()
        values = ordinary(dtype, host[key].shape, seed=3)
        copy[key] = values
        own[key] = gpuarray.to_device(values)
        assert_same(own, copy)


def test_more_arrays_than_a_kernel_takes_at_once(device):
    host = np.arange(3**6).reshape((3,) * 6)
    x = gpuarray.to_device(host)
    random = np.random.default_rng(0)
    key = tuple(random.integers(-3, 3, (4, 1) if axis % 2 else (5,)) for axis in range(6))
    assert_same(x[key], host[key])
    x[key] = gpuarray.arange(20).reshape(4, 5)
    host[key] = np.arange(20).reshape(4, 5)
    assert_same(x, host)


def test_the_last_of_several_values_stays(device):
    indices = np.random.default_rng(1).integers(0, 50, 20_000)
    host = np.zeros(50, np.int64)
    host[indices] = np.arange(20_000)
    for _ in range(3):
        x = gpuarray.zeros(50, np.int64)
        x[gpuarray.to_device(indices)] = gpuarray.arange(20_000)
        assert_same(x, host)
    table = np.zeros((50, 3), np.int64)
    x = gpuarray.to_device(table)
    table[indices, 1] = np.arange(20_000)
    x[indices, 1] = gpuarray.arange(20_000)
    assert_same(x, table)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.int64], ids=lambda dtype: dtype.__name__)
def test_the_last_of_many_values_in_a_long_array_stays(device, dtype):
    """So many values are brought to buckets of neighbouring elements first."""
    length, size = (1 << 25) + 5, (1 << 21) + 3
    rng = np.random.default_rng(3)
    key = rng.integers(-length, length, size)
    key[: size // 4] %= 5000  # many values for few elements, so that blocks share their buckets
    key[size // 2 : size // 4 * 3] %= 20000
    host, values = np.zeros(length, dtype), rng.integers(1, 100, size).astype(dtype)
    x, index = gpuarray.to_device(host), gpuarray.to_device(key)
    for target in (slice(None), slice(None, None, -1)):
        host[target][key] = values
        x[target][index] = gpuarray.to_device(values)
        assert_same(x, host)
    key[7], key[8], key[9] = length, -length - 1, length - 1
    with pytest.raises(IndexError, match="out of bounds for axis 0"):
        x[gpuarray.to_device(key)] = gpuarray.to_device(values)
        x.get()


@pytest.mark.cuda
def test_many_values_without_a_sort(cuda):
    code = """
        import gpuarray, numpy as np
        rng = np.random.default_rng(0)
        key = rng.integers(0, 1 << 25, 1 << 21)
        host, values = np.zeros(1 << 25, "int8"), rng.integers(1, 100, key.size).astype("int8")
        x = gpuarray.to_device(host)
        x[gpuarray.to_device(key)] = gpuarray.to_device(values)
        host[key] = values
        print((x.get() == host).all())
    """
    assert run_python(code, GPUARRAY_LIBCUB="/no/such.so").strip() == "True"


@pytest.mark.parametrize("count", [1, 33, 1000, 3000])
def test_the_last_of_few_values_stays(device, count):
    """A few indices, and more in a large array, are told apart without a table."""
    random = np.random.default_rng(count)
    for shape in [(7,), (2_000_000,), (1500, 1500)]:
        host = np.zeros(shape, np.int32)
        x = gpuarray.to_device(host)
        key = tuple(
            random.choice(random.integers(-extent, extent, count // 2 + 1), count)
            for extent in shape
        )
        x[tuple(map(gpuarray.to_device, key))] = gpuarray.arange(1, count + 1)
        host[key] = np.arange(1, count + 1)
        assert_same(x, host)


def test_results_are_copies(device):
    x = gpuarray.arange(4)
    part = x[[0, 1]]
    part[...] = 9
    assert part.base is None
    assert x.tolist() == [0, 1, 2, 3]


def test_operands_that_share_memory(device):
    host = np.array([2, 0, 1, 3, 1])
    x = gpuarray.to_device(host)
    x[x] = x
    host[host.copy()] = host.copy()
    assert_same(x, host)
    x[x[::-1]] = x[1:2]
    host[host[::-1].copy()] = host[1:2].copy()
    assert_same(x, host)


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (([0, 1], [0, 1, 2]), IndexError, "shape mismatch: indexing arrays could not be broadcast"),
        (([0], [0], [0]), IndexError, "too many indices for array: array is 2-dimensional"),
        (np.ones((3, 4, 1), bool), IndexError, "too many indices for array: array is 2-dim"),
        (np.ones(4, bool), IndexError, "boolean index did not match indexed array along axis 0; "
         "size of axis is 3 but size of corresponding boolean axis is 4"),
        (np.array([0.0]), IndexError, "arrays used as indices must be of integer"),
        (np.array([]), IndexError, "arrays used as indices must be of integer"),
        (("name", [0]), IndexError, "only integers, slices"),
        (([0], 5), IndexError, "index 5 is out of bounds for axis 1 with size 4"),
    ],
    ids=str,
)  # fmt: skip
def test_bad_keys(device, key, error, message):
    x = gpuarray.zeros((3, 4))
    with pytest.raises(error, match=message):
        x[key]
    with pytest.raises(error, match=message):
        x[key] = 1
    assert not x.get().any()


def test_bad_values(device):
    x = gpuarray.zeros((3, 4))
    with pytest.raises(ValueError, match=r"value array of shape \(3,\) could not be broadcast to "):
        x[[0, 1]] = gpuarray.ones(3)
    with pytest.raises(TypeError, match="to_device"):
        x[[0, 1]] = np.ones(4)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[[0]] = 1
    assert not x.get().any()


@pytest.mark.cuda
def test_arrays_of_other_devices(cuda):
    x = gpuarray.zeros(3)
    with pytest.raises(gpuarray.DeviceError, match="different devices"):
        x[gpuarray.to_device(np.array([0, 1]), device="cpu")]
    with pytest.raises(gpuarray.DeviceError, match="different devices"):
        x[[0, 1]] = gpuarray.zeros(2, device="cpu")


class Foreign:
    def __init__(self, owner):
        self.__cuda_array_interface__ = owner.__cuda_array_interface__


def borrowed_twice(device, host):
    """Two arrays with the same elements, of which neither knows the other."""
    if device == "cpu":
        return gpuarray.from_dlpack(host), gpuarray.from_dlpack(host)
    x = gpuarray.to_device(host)
    return x, gpuarray.asarray(Foreign(x))


def test_borrowed_values_of_the_same_memory(device):
    x, y = borrowed_twice(device, np.arange(10.0))
    x[gpuarray.arange(9, -1, -1)] = y
    np.testing.assert_array_equal(x.get(), np.arange(10.0)[::-1])
    gpuarray.take(x, gpuarray.arange(9, -1, -1), out=y)
    np.testing.assert_array_equal(x.get(), np.arange(10.0))
    x[gpuarray.arange(10) >= 1] = y[:9]
    np.testing.assert_array_equal(x.get(), [0, 0, 1, 2, 3, 4, 5, 6, 7, 8])


def test_borrowed_indices_of_the_same_memory(device):
    x, y = borrowed_twice(device, np.array([3, 2, 1, 0]))
    x[y] = gpuarray.zeros(4, "int64")
    assert not x.get().any()


def test_a_borrowed_mask_of_the_same_memory(device):
    x, y = borrowed_twice(device, np.array([False, True, True, False]))
    x[y] = gpuarray.to_device(np.array([False, True]))
    np.testing.assert_array_equal(x.get(), [False, False, True, False])


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_large_open_meshes(device, dtype):
    rng = np.random.default_rng(9)
    host = rng.integers(0, 99, (700, 500, 3)).astype(dtype)
    x = gpuarray.to_device(host)
    rows, columns = rng.integers(-700, 700, 600), rng.integers(-500, 500, 450)[::-1]
    for at in (columns, columns[None]):
        key = gpuarray.to_device(rows)[:, None], gpuarray.to_device(at)
        assert_same(x[key], host[rows[:, None], at])
        assert_same(x[::-1][key], host[::-1][rows[:, None], at])
    for bad, message in [
        ((np.append(rows, 700), columns), "index 700 is out of bounds for axis 0 with size 700"),
        ((rows, np.append(columns, -501)), "index -501 is out of bounds for axis 1 with size 500"),
    ]:
        with pytest.raises(IndexError, match=message):
            x[np.ix_(*bad)].get()
