# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Selection from long rows: top_k, partition and argpartition compared with NumPy's stable sort."""

import os

import numpy as np
import pytest
from _support.special_values import DTYPES, REAL, sample
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core

LENGTH = 16384  # CUDA devices select from rows of this length and longer ones


def order_of(x, descending=False):
    """Return the positions that sort the rows, NaN as the largest, equal elements in order."""
    order = np.argsort(x[..., ::-1] if descending else x, axis=-1, kind="stable")
    return x.shape[-1] - 1 - order[..., ::-1] if descending else order


def split(row, kth):
    """Return the positions of what is before, equal to and after element kth, each in order."""
    order = order_of(row)
    groups = np.empty(row.size, np.intp)
    value = row[order[kth]]
    ordered = row[order]
    equal = np.isnan(ordered) if value != value else ordered == value
    groups[order] = np.where(equal, 1, 2 * (np.arange(row.size) > kth))
    return np.argsort(groups, kind="stable")


def check_top(a, x, k, largest, axis=-1):
    values, indices = gpuarray.top_k(a, k, axis, largest=largest)
    moved = np.moveaxis(x, axis, -1)
    order = order_of(moved, largest)[..., :k]
    np.testing.assert_array_equal(indices.get(), np.moveaxis(order, -1, axis))
    expected = np.moveaxis(np.take_along_axis(moved, order, -1), -1, axis)
    found = values.get()
    np.testing.assert_array_equal(found, expected, strict=True)
    assert found.flags.c_contiguous
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def in_order(x):
    """Return the rows sorted; NumPy's own sort of float16 misplaces infinities with AVX-512."""
    return np.sort(x.astype("float32")).astype(x.dtype) if x.dtype == "float16" else np.sort(x)


def check_partition(a, x, kth):
    """Compare both partitions of rows with what NumPy promises of them."""
    ordered = in_order(x)
    order = gpuarray.argpartition(a, kth).get()
    np.testing.assert_array_equal(np.sort(order), np.broadcast_to(np.arange(x.shape[-1]), x.shape))
    for found in (gpuarray.partition(a, kth).get(), np.take_along_axis(x, order, -1)):
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(in_order(found[..., :kth]), ordered[..., :kth])
        np.testing.assert_array_equal(found[..., kth], ordered[..., kth])
        np.testing.assert_array_equal(in_order(found[..., kth:]), ordered[..., kth:])


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(device, dtype, few, largest):
    x = sample(dtype, (2, 41_003), 3, few=few)
    a = gpuarray.to_device(x)
    for k in (0, 1, 700, 41_003 // 8, 41_003 // 8 + 1, 41_003):
        check_top(a, x, k, largest)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_partition(device, dtype, few):
    x = sample(dtype, (2, 17_001), 4, few=few)
    a = gpuarray.to_device(x)
    for kth in (0, 12_345, 17_000):
        check_partition(a, x, kth)


@pytest.mark.parametrize("length", [LENGTH - 1, LENGTH, LENGTH + 1, 3 * 8192, 3 * 8192 + 1, 65_537])
def test_lengths(device, length):
    x = sample("float32", (3, length), length, few=False)
    a = gpuarray.to_device(x)
    check_top(a, x, 5, True)
    check_top(a, x, 1, False)
    check_partition(a, x, length // 2)


def test_many_rows(device):
    # A card has a block for each of so many rows, and so does the test driver of few.
    rows = 33 if device == "cpu" or "GPUARRAY_TEST_DRIVER" in os.environ else 2000
    x = sample("uint8", (rows, LENGTH), 8, few=False)
    a = gpuarray.to_device(x)
    check_top(a, x, 10, False)
    check_partition(a, x, 9000)


@pytest.mark.parametrize("largest", [True, False])
def test_axes_and_views(device, largest):
    x = sample("float32", (2, LENGTH, 3), 5)
    a = gpuarray.to_device(x)
    check_top(a, x, 4, largest, 1)
    check_top(a[:, ::-1], x[:, ::-1], 4, largest, 1)
    check_top(a.transpose(2, 0, 1), x.transpose(2, 0, 1), 4, largest)
    check_top(a[1:, :, 1:].transpose(1, 0, 2), x[1:, :, 1:].transpose(1, 0, 2), 4, largest, 0)
    flat = gpuarray.top_k(a, 6, None, largest=largest)
    np.testing.assert_array_equal(flat.indices.get(), order_of(x.reshape(-1), largest)[:6])
    check_partition(a.transpose(2, 0, 1)[1:, ::-1], x.transpose(2, 0, 1)[1:, ::-1], 77)
    made = gpuarray.partition(a, 100, axis=1).get()
    np.testing.assert_array_equal(made[:, 100], np.sort(x, 1)[:, 100])
    a.partition(100, axis=1)
    np.testing.assert_array_equal(a.get(), made)


COLUMNS = np.arange(20_000)
ZERO, NAN, INFINITY = np.float32([0, np.nan, np.inf])
ROWS = {
    "NaN": np.full(20_000, NAN),
    "negative NaN among ones": np.where(COLUMNS % 3 == 0, -NAN, np.float32(1)),
    "zeros": np.where(COLUMNS % 3 == 0, -ZERO, ZERO),
    "infinities": np.where(COLUMNS % 2 == 0, INFINITY, -INFINITY),
    "ones": np.ones(20_000, np.int16),
    "rising": COLUMNS,
    "falling": -COLUMNS.astype(np.float64),
    "one other": np.where(COLUMNS == 19_999, np.int8(-1), np.int8(3)),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_few_values(device, name):
    x = ROWS[name]
    a = gpuarray.to_device(x)
    for k in (1, 2, 1000):
        check_top(a, x, k, True)
        check_top(a, x, k, False)
    for kth in (0, 6666, 6667, 19_999):
        check_partition(a, x, kth)


def test_bfloat16(device):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = sample("float32", 20_000, 5, few=False).astype(ml_dtypes.bfloat16)
    a, wide = gpuarray.to_device(x), x.astype("float32")
    values, indices = gpuarray.top_k(a, 300)
    np.testing.assert_array_equal(indices.get(), order_of(wide, True)[:300])
    np.testing.assert_array_equal(values.get().astype("float32"), wide[indices.get()])
    made = gpuarray.partition(a, 9999).get().astype("float32")
    np.testing.assert_array_equal(np.sort(made[:9999]), np.sort(wide)[:9999])


def test_several_positions(device):
    x = sample("float32", (2, 20_000), 6)
    made = gpuarray.partition(gpuarray.to_device(x), [3, 10_000, -1]).get()
    np.testing.assert_array_equal(made[:, [3, 10_000, -1]], np.sort(x)[:, [3, 10_000, -1]])


@given(
    dtype=st.sampled_from(REAL),
    values=st.lists(st.integers(0, 120), min_size=1, max_size=9),
    few=st.booleans(),
    seed=st.integers(0, 1000),
    part=st.floats(0, 1),
    largest=st.booleans(),
)
def test_mixtures(device, dtype, values, few, seed, part, largest):
    rng = np.random.default_rng(seed)
    chosen = np.array(values).astype(dtype)[rng.integers(0, len(values), 17_000)]
    x = np.where(rng.random(17_000) < part, chosen, sample(dtype, 17_000, seed, few=few))
    a = gpuarray.to_device(x)
    check_top(a, x, 1 + int(part * 2000), largest)
    check_partition(a, x, int(part * 16_999))


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", REAL)
def test_devices_split_in_order(cuda, dtype):
    x = sample(dtype, (2, 25_000), 9)
    a = gpuarray.to_device(x)
    for kth in (1000, 20_000):
        expected = np.stack([split(row, kth) for row in x])
        np.testing.assert_array_equal(gpuarray.argpartition(a, kth).get(), expected)
        made = gpuarray.partition(a, kth).get()
        np.testing.assert_array_equal(made, np.take_along_axis(x, expected, 1))


@pytest.mark.cuda
def test_devices_select_from_long_rows_only(cuda):
    def selects(a, count, axis=0):
        return _core._select_rows(a, axis, count, True) is not None

    a = gpuarray.zeros(LENGTH, "float32")
    assert selects(a, 1)
    assert selects(a, LENGTH // 8)
    assert not selects(a, LENGTH // 8 + 1)
    assert not selects(a, LENGTH)
    assert not selects(a, 0)
    assert not selects(a[1:], 1)
    assert not selects(a.reshape(2, -1), 1)
    assert not selects(a.astype("complex64"), 1)
    assert not selects(gpuarray.zeros((0, LENGTH)), 1, 1)


def test_the_cpu_device_has_its_own_selection():
    a = gpuarray.zeros(LENGTH, device="cpu")
    assert _core._select_rows(a, 0, 1, True) is None


@pytest.mark.cuda
def test_replays_select_anew(cuda):
    hosts = [sample("float32", (2, 20_000), seed, few=False) for seed in (1, 2)]
    a = gpuarray.to_device(hosts[0])
    gpuarray.top_k(a, 30), gpuarray.partition(a, 500), gpuarray.argpartition(a, 500)
    with gpuarray.capture() as graph:
        values, indices = gpuarray.top_k(a, 30)
        parts = gpuarray.partition(a, 500)
        order = gpuarray.argpartition(a, 500)
    for x in reversed(hosts):
        a.set(x)
        graph.launch()
        best = order_of(x, True)[:, :30]
        np.testing.assert_array_equal(indices.get(), best)
        np.testing.assert_array_equal(values.get(), np.take_along_axis(x, best, 1))
        expected = np.stack([split(row, 500) for row in x])
        np.testing.assert_array_equal(order.get(), expected)
        np.testing.assert_array_equal(parts.get(), np.take_along_axis(x, expected, 1))


def test_streams(device):
    x = sample("int32", 30_000, few=False)
    a = gpuarray.to_device(x)
    streams = [gpuarray.Stream() for _ in range(3)]
    made = [gpuarray.top_k(a, 5 + k, stream=stream) for k, stream in enumerate(streams)]
    parts = [gpuarray.argpartition(a, 100 * k, stream=stream) for k, stream in enumerate(streams)]
    for k in range(3):
        assert made[k].indices.tolist() == order_of(x, True)[: 5 + k].tolist()
        assert x[parts[k].get()[100 * k]] == np.sort(x)[100 * k]
