# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Reductions of many short contiguous rows, which CUDA devices stage in shared memory."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES, kind
from _support.numpy_names import place_but_for_nan
from _support.process import inherited_driver, run_python
from _support.samples import ordinary, special
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

NAMES = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std"]
NAMES += ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
NAMES += ["nanargmax", "nanargmin"]
EXACT = ["max", "min", "any", "all", "argmax", "argmin"]
MULTIPROCESSORS = 16  # the driver's number of this attribute


def many_rows(device, length):
    """Return how many rows of this length a kernel of their own takes: an even number."""
    multiprocessors = 1 if device == "cpu" else gpuarray.driver.device_attribute(MULTIPROCESSORS)
    return max(2**20 // length, 2048 * multiprocessors) // 2 * 2 + 2


def values(dtype, count, is_special):
    """Return ordinary elements in which no row repeats soon, some of them replaced."""
    some = ordinary(dtype, (65521,))
    if is_special:
        edge = special(dtype)
        some[:: 65521 // edge.size][: edge.size] = edge
    return np.resize(some, count)


def numpys(name, host):
    """Return NumPy's result where it has no rounding, else None."""
    if name.startswith("nanarg"):
        numbers = host.astype(np.float32) if host.dtype == BFLOAT16 else host
        return place_but_for_nan(name, numbers, axis=-1)
    if name not in EXACT and (name not in ("sum", "prod") or kind(host.dtype) not in "biu"):
        return None
    wide = host.astype(np.float32) if host.dtype == BFLOAT16 else host
    got = np.asarray(getattr(np, name)(wide, axis=-1))
    return got.astype(BFLOAT16) if host.dtype == BFLOAT16 and name in ("max", "min") else got


@given(
    data=st.data(),
    dtype=st.sampled_from(DTYPES),
    name=st.sampled_from(NAMES),
    length=st.sampled_from([2, 3, 4, 8]) | st.integers(1, 70),
)
def test_rows_have_the_bits_of_any_other_rows(device, data, dtype, name, length):
    """Results that do not lie side by side are those of the kernel of all reductions."""
    rows = many_rows(device, length) + 2 * data.draw(st.integers(0, 300), label="more rows / 2")
    offset = data.draw(st.just(0) | st.integers(1, 17), label="offset")
    host = values(dtype, offset + rows * length, data.draw(st.booleans(), label="special"))
    x = gpuarray.to_device(host)[offset:].reshape(rows, length)
    apart = gpuarray.empty((rows, 2), getattr(gpuarray, name)(x[:1], axis=1).dtype)[:, 0]
    expected = getattr(gpuarray, name)(x, axis=1, out=apart).get()
    folded = x.reshape(2, rows // 2, length) if data.draw(st.booleans(), label="folded") else x
    how = data.draw(st.sampled_from(["new", "keepdims", "out"]), label="how")
    shape = folded.shape[:-1] + ((1,) if how == "keepdims" else ())
    if how == "out":
        got = gpuarray.empty(shape, expected.dtype)
        getattr(gpuarray, name)(folded, axis=-1, out=got)
    else:
        got = getattr(gpuarray, name)(folded, axis=-1, keepdims=how == "keepdims")
    assert_same(got, expected.reshape(shape))
    for part in (slice(0, 99), slice(rows - 99, rows)):
        with np.errstate(all="ignore"):
            known = numpys(name, host[offset:].reshape(rows, length)[part])
        if known is not None:
            assert_same(expected[part], known)


def sums_in_order(host, address):
    """Sum rows of float32 in float64, as one thread a row of a CUDA device does.

    Elements between 16-byte boundaries are dealt out to four sums; those before and behind belong
    to the first.
    """
    rows, length = host.shape
    head = np.minimum(-(address // 4 + np.arange(rows) * length) % 4, length)
    end = head + (length - head) // 4 * 4
    sums = np.zeros((4, rows))
    for k in range(length):
        place = np.where((head <= k) & (k < end), (k - head) % 4, 0)
        sums[place, np.arange(rows)] += host[:, k]
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])).astype(np.float32)


@pytest.mark.cuda
@pytest.mark.parametrize("length", [2, 3, 4, 5, 8, 12, 15, 16, 20, 32])
@pytest.mark.parametrize("offset", [0, 3])
def test_sums_have_a_fixed_order(cuda, length, offset):
    rows = many_rows(cuda, length)
    host = np.resize(np.random.default_rng(1).normal(size=65521), offset + rows * length)
    host = (host * 10.0 ** (np.arange(host.size) % 23)).astype(np.float32)  # rounding shows
    whole = gpuarray.to_device(host)
    x = whole[offset:].reshape(rows, length)
    address = x.__cuda_array_interface__["data"][0]
    assert address % 16 == 4 * offset
    assert_same(x.sum(axis=1), sums_in_order(host[offset:].reshape(rows, length), address))


REDUCE = """
import numpy as np, zlib, gpuarray
rows = max(2**20 // 5, 2048 * gpuarray.driver.device_attribute(16)) + 1
x = gpuarray.to_device(np.resize(np.arange(65521, dtype=np.uint16), (rows, 5)))
before = gpuarray.cache_info()
got = x.prod(axis=1)
after = gpuarray.cache_info()
print(after.hits + after.stores - before.hits - before.stores, zlib.crc32(got.get()))
"""


@pytest.mark.cuda
def test_their_kernel_is_compiled_where_there_is_a_compiler(cuda, tmp_path):
    variables = {**inherited_driver(), "GPUARRAY_CACHE_DIR": str(tmp_path)}
    with_compiler = run_python(REDUCE, **variables).split()
    without = run_python(REDUCE, **{**variables, "GPUARRAY_LIBNVRTC": "/nonexistent"}).split()
    assert with_compiler[0] == "1" and without[0] == "0"
    assert with_compiler[1] == without[1]
