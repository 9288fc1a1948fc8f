# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays of more than 2**63 - 1 bytes cannot be made, whatever memory they would need."""

import numpy as np
import pytest
from _support.dlpack import Producer

import gpuarray
from gpuarray import _core

# Of float64; NumPy counts the extents other than 0 where one is 0.
TOO_LARGE = [(2**60,), (2**61 + 1,), (2**30, 2**30), (3, 2**61), (0, 2**60), (2**62, 0, 4)]

MAKERS = {
    "zeros": lambda xp, shape: xp.zeros(shape),
    "zeros_like": lambda xp, shape: xp.zeros_like(xp.zeros(1), shape=shape),
    "broadcast_to": lambda xp, shape: xp.broadcast_to(
        xp.zeros([min(extent, 1) for extent in shape]), shape
    ),
    "broadcast_arrays": lambda xp, shape: xp.broadcast_arrays(
        xp.zeros(1), xp.broadcast_to(xp.zeros(1, "i1"), shape)
    ),
    "add": lambda xp, shape: xp.broadcast_to(xp.zeros(1, "i1"), shape) + np.float64(1),
    "astype": lambda xp, shape: xp.broadcast_to(xp.zeros(1, "i1"), shape).astype("f8"),
}


@pytest.mark.parametrize("shape", TOO_LARGE, ids=str)
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_too_large(device, maker, shape):
    for xp in (np, gpuarray):
        with pytest.raises(ValueError, match=r"too big|too large"):
            maker(xp, shape)


@pytest.mark.parametrize("shape", TOO_LARGE, ids=str)
def test_too_large_as_strided(device, shape):
    one = gpuarray.zeros(1)
    with pytest.raises(ValueError, match="too big"):
        _core._as_strided(one, shape, (0,) * len(shape), 0, False)


@pytest.mark.parametrize("shape", TOO_LARGE, ids=str)
@pytest.mark.parametrize("offset", [0, 1], ids=["aligned", "misaligned"])
def test_too_large_by_dlpack(shape, offset):
    memory = np.zeros(2)
    producer = Producer(
        memory.ctypes.data, shape, "f8", (0,) * len(shape), byte_offset=offset, owner=memory
    )
    with pytest.raises(ValueError, match="too big"):
        gpuarray.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize("shape", TOO_LARGE, ids=str)
def test_too_large_by_the_cuda_array_interface(shape):
    described = {"shape": shape, "strides": (0,) * len(shape), "typestr": "<f8", "version": 3}
    described["data"] = (4096, False)
    foreign = type("Foreign", (), {"__cuda_array_interface__": described})()
    with pytest.raises(ValueError, match="too big"):
        gpuarray.from_cuda_array_interface(foreign)


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
def test_the_largest_has_numpys_nbytes(device, dtype):
    largest = (2**63 - 1) // np.dtype(dtype).itemsize
    x = gpuarray.broadcast_to(gpuarray.zeros(1, dtype), (largest,))
    assert x.nbytes == np.broadcast_to(np.zeros(1, dtype), (largest,)).nbytes
    with pytest.raises(ValueError, match=r"too big|beyond 2\*\*63"):
        gpuarray.broadcast_to(gpuarray.zeros(1, dtype), (largest + 1,))


def test_a_readers_buffer_is_as_long_as_told():
    x = gpuarray.broadcast_to(gpuarray.zeros(1, device="cpu"), (5, 7))
    assert len(bytes(memoryview(x))) == memoryview(x).nbytes == x.nbytes == 280
