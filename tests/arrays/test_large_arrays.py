# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""More elements than 31 bits count, and more bytes than 32: on CUDA devices with the memory."""

import numpy as np
import pytest

import gpuarray

pytestmark = [pytest.mark.cuda, pytest.mark.slow]

MANY = 2**31 + 2**20 + 7


@pytest.fixture
def room(cuda):
    """Skips where the device has not so much memory free."""

    def need(nbytes):
        free, _ = gpuarray.Device(cuda).memory_info()
        if free < nbytes * 1.2:
            pytest.skip(f"{nbytes >> 30} GiB needed, {free >> 30} free")

    return need


def test_more_elements_than_31_bits(room):
    room(3 * MANY)
    x = gpuarray.full(MANY, 1, np.uint8)
    x[-1] = 5
    x[2**31] = 7
    y = x + x
    assert y[-1].item() == 10
    assert y[2**31].item() == 14
    assert y[2**31 - 1].item() == 2
    assert x.sum().item() == MANY + 10
    assert x.argmax().item() == 2**31
    assert x[::-1].argmax().item() == MANY - 1 - 2**31
    assert x[-3:].get().tolist() == [1, 1, 5]
    x[2**31 - 2 :: 3] = 9
    assert x[2**31 + 1].item() == 9
    assert x[2**31 - 3].item() == 1


def test_strided_offsets_beyond_32_bits(room):
    room(2 * 2**32 + 2**31)
    x = gpuarray.zeros((2**16 + 8, 2**15), np.int32)
    x[:, 5] = gpuarray.arange(2**16 + 8, dtype=np.int32)
    column = x.T[5]
    assert column[-1].item() == 2**16 + 7
    assert (column + 1).sum(dtype=np.int64).item() == sum(range(1, 2**16 + 9))
    assert x[-1].get().tolist()[:6] == [0, 0, 0, 0, 0, 2**16 + 7]
    assert x.sum(axis=0)[5].item() == sum(range(2**16 + 8))


def test_broadcast_result_beyond_31_bits(room):
    room(2**33)
    row = gpuarray.arange(2**16).astype(np.uint8)
    column = gpuarray.ones((2**15 + 3, 1), np.uint8)
    got = column + row
    assert got.size > 2**31
    assert got[-1, -3:].tolist() == [254, 255, 0]
    assert got[2**15].sum().item() == int(np.arange(2**16).astype(np.uint8).sum())


def test_more_bytes_than_32_bits(room):
    room(3 * 2**33)
    x = gpuarray.arange(2**30 + 9, dtype=np.float64)
    assert x.nbytes > 2**32
    y = x.astype(np.float32)
    assert y[-1].item() == np.float32(2**30 + 8)
    assert x[-1].item() == 2**30 + 8
    assert (x[1:] - x[:-1]).min().item() == 1.0


WIDE = (2**15 + 3, 2**16 + 1)  # more than 2^31 elements; odd, so that rows are misaligned


def samples(shape):
    """Indices near the corners, the edges of tiles, and element 2^31."""
    rows = [0, 1, 31, 32, shape[0] // 2, shape[0] - 2, shape[0] - 1, 2**31 // shape[1]]
    columns = [0, 31, 32, shape[1] // 2, shape[1] - 1, 2**31 % shape[1]]
    return [(row, column) for row in rows for column in columns]


def check_samples(got, expected):
    """Elements of a result, and whole rows and columns at its end."""
    for row, column in samples(got.shape):
        assert got[row, column].item() == expected(row, column), (row, column)
    across, along = np.arange(got.shape[1]), np.arange(got.shape[0])
    for row in (0, got.shape[0] // 2, got.shape[0] - 1):
        assert np.array_equal(got[row].get(), expected(row, across).astype(got.dtype))
    assert np.array_equal(got[:, -1].get(), expected(along, got.shape[1] - 1).astype(got.dtype))


@pytest.fixture
def line(room):
    """Of WIDE's shape: 3 * row + column modulo 251, uint8."""
    room(6 * 2**31)
    rows = (gpuarray.arange(WIDE[0], dtype=np.int32) * 3 % 251).astype(np.uint8)
    columns = (gpuarray.arange(WIDE[1], dtype=np.int32) % 5).astype(np.uint8)
    return rows.reshape(-1, 1) ^ columns


def line_at(row, column):
    return (row * 3 % 251) ^ (column % 5)


def test_rows_beyond_31_bits(line):
    check_samples(line, line_at)
    row = (gpuarray.arange(WIDE[1], dtype=np.int32) % 7).astype(np.uint8)
    check_samples(line + row, lambda r, c: (line_at(r, c) + c % 7) % 256)
    check_samples(line[:, ::-1] + row, lambda r, c: (line_at(r, WIDE[1] - 1 - c) + c % 7) % 256)
    check_samples(line[:, 1:] & 3, lambda r, c: line_at(r, c + 1) & 3)
    check_samples(line[::-1, 3:] & 3, lambda r, c: line_at(WIDE[0] - 1 - r, c + 3) & 3)


def test_tiles_beyond_31_bits(line):
    turned = line.T.copy(order="C")
    check_samples(turned, lambda r, c: line_at(c, r))
    check_samples(turned.T - line, lambda r, c: 0 * (r + c))
    assert not (line != turned.T).any().item()
    added = turned + line.T
    check_samples(added, lambda r, c: 2 * line_at(c, r) % 256)


def test_mixed_dtypes_beyond_31_bits(line):
    signed = line.view(np.int8)
    got = gpuarray.empty(WIDE, np.int16)
    gpuarray.add(signed, np.int16(300), out=got)
    wrapped = lambda r, c: np.asarray(line_at(r, c)).astype(np.int8).astype(np.int64)  # noqa: E731
    check_samples(got, lambda r, c: wrapped(r, c) + 300)
    got -= signed
    assert got.min().item() == got.max().item() == 300
    check_samples(signed.astype(np.float16), wrapped)
    check_samples(signed < 0, lambda r, c: wrapped(r, c) < 0)


def test_reductions_beyond_31_bits(line):
    rows = np.arange(WIDE[0]) * 3 % 251
    columns = np.arange(WIDE[1]) % 5
    counts = np.bincount(columns)
    by_row = sum(count * (rows ^ value) for value, count in enumerate(counts))
    by_column = np.array([(rows ^ value).sum() for value in range(5)])[columns]
    assert np.array_equal(line.sum(axis=1, dtype=np.int64).get(), by_row)
    assert np.array_equal(line.sum(axis=0, dtype=np.int64).get(), by_column)
    assert np.array_equal(line.T.sum(axis=0, dtype=np.int64).get(), by_row)
    assert line.sum(dtype=np.int64).item() == by_row.sum()
    assert line[:, 1:].sum(dtype=np.int64).item() == by_row.sum() - by_column[0]
    assert line.max().item() == (rows[:, None] ^ np.arange(5)).max()


def test_long_axis_reductions(room):
    room(2**32)
    x = gpuarray.ones((2, 2**30 + 1), np.uint8)
    assert x.sum(axis=1).tolist() == [2**30 + 1] * 2
    assert x.all(axis=0).sum().item() == 2**30 + 1


def test_transfer_beyond_32_bits(room):
    room(2**33)
    host = np.zeros(2**32 + 5, np.uint8)
    host[-1], host[2**32] = 3, 7
    x = gpuarray.to_device(host)
    assert x[-1].item() == 3
    assert np.array_equal(x.get()[-8:], host[-8:])


def test_memory_that_is_not_there(cuda):
    free, total = gpuarray.Device(cuda).memory_info()
    with pytest.raises(gpuarray.OutOfMemoryError, match=str(total * 2)):
        gpuarray.empty(total * 2, np.uint8)
    assert gpuarray.ones(3).sum().item() == 3, "the device is usable afterwards"
    assert gpuarray.Device(cuda).memory_info()[0] >= free - 2**28


def test_expressions_beyond_31_bits(room):
    room(6 * MANY)
    kernel = gpuarray.ElementwiseKernel("uint8 x", "uint8 y", "y = x + uint8_t(i % 251)", "index")
    x = gpuarray.full(3 * MANY, 1, np.uint8)
    y = kernel(x)
    for at in (0, 2**31, 2**32 + 3, 3 * MANY - 1):
        assert y[at].item() == 1 + at % 251
    del y
    rows = x.reshape(MANY, 3)[:, :2]
    y = kernel(rows)
    for at in (0, 2**31 + 5, MANY - 1):
        assert y[at].tolist() == [1 + (2 * at + column) % 251 for column in range(2)]
