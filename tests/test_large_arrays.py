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
