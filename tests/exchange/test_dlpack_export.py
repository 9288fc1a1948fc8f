# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The tensors that GPUArrays lend through DLPack, field by field."""

import gc

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dlpack import (
    CPU,
    CUDA,
    IS_COPIED,
    MANAGED,
    PINNED,
    READ_ONLY,
    Managed,
    Versioned,
    capsule_pointer,
    type_of,
)
from _support.dtypes import DTYPES
from _support.measure import nothing_leaks
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

MAKERS = {
    "device": gpuarray.zeros,
    "pinned": gpuarray.zeros_pinned,
    "managed": gpuarray.zeros_managed,
}


def lent(x, max_version=(1, 3), **kwargs):
    """The structure in a capsule, and the capsule, which owns it."""
    capsule = x.__dlpack__(max_version=max_version, **kwargs)
    if max_version is None:
        return Managed.from_address(capsule_pointer(capsule, "dltensor")), capsule
    return Versioned.from_address(capsule_pointer(capsule, "dltensor_versioned")), capsule


def device_of(managed):
    return managed.tensor.device_type, managed.tensor.device_id


@pytest.fixture(params=MAKERS)
def kind(request):
    return request.param


@pytest.mark.parametrize("max_version", [None, (1, 0), (1, 9)])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(device, dtype, max_version):
    x = gpuarray.ones((2, 3), dtype)
    managed, _capsule = lent(x, max_version)
    tensor = managed.tensor
    assert (tensor.code, tensor.bits, tensor.lanes) == (*type_of(dtype), 1)
    assert device_of(managed) == ((CPU, 0) if device == "cpu" else (CUDA, 0))
    if max_version is not None:
        assert (managed.major, managed.minor, managed.flags) == (1, 3, 0)


@given(data=st.data())
def test_any_view(device, data):
    host = data.draw(arrays(dtype=np.dtype(np.int16)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    managed, _capsule = lent(x)
    tensor = managed.tensor
    assert tensor.ndim == a.ndim
    assert tuple(tensor.shape[: a.ndim]) == a.shape
    assert [2 * stride for stride in tensor.strides[: a.ndim]] == list(x.strides)
    assert tensor.data == (x.ptr if x.size else None)
    assert tensor.byte_offset == 0
    assert_same(np.from_dlpack(x, device="cpu"), np.asarray(a))


def kinds_of(device, kind):
    """The devices under which memory of a kind is lent, its own first."""
    if device == "cpu":
        return [(CPU, 0)]
    own = {"device": [], "pinned": [(PINNED, 0)], "managed": [(MANAGED, 0)]}[kind]
    return [*own, (CUDA, 0), (CPU, 0)]


@pytest.mark.parametrize("copy", [None, True, False])
def test_devices_and_copies(device, kind, copy):
    x = MAKERS[kind](6, "int32")
    x[...] = gpuarray.arange(6, dtype="int32")
    own, *_ = kinds = kinds_of(device, kind)
    assert x.__dlpack_device__() == own
    for wanted in (None, *kinds):
        moves = wanted == (CPU, 0) and own == (CUDA, 0)
        if moves and copy is False:
            with pytest.raises(BufferError, match="without a copy"):
                lent(x, dl_device=wanted, copy=copy)
            continue
        managed, capsule = lent(x, dl_device=wanted, copy=copy)
        assert device_of(managed) == (wanted or own)
        copied = bool(copy) or moves
        assert managed.flags == (IS_COPIED if copied else 0)
        assert (managed.tensor.data == x.ptr) == (not copied)

        class Holder:
            def __dlpack_device__(self, managed=managed):
                return device_of(managed)

            def __dlpack__(self, capsule=capsule, **kwargs):
                return capsule

        gpuarray.synchronize()
        assert gpuarray.from_dlpack(Holder()).tolist() == list(range(6))


def test_read_only_arrays(device):
    x = gpuarray.zeros(3)
    x.flags.writeable = False
    assert lent(x)[0].flags == READ_ONLY
    assert lent(x, copy=True)[0].flags == IS_COPIED
    assert lent(x, None, copy=True)[0].tensor.data != x.ptr
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()


def test_numpy_takes_copies_of_shared_memory(device, kind):
    if kind == "device":
        return
    x = MAKERS[kind](4)
    a = np.from_dlpack(x, copy=True)
    assert a.ctypes.data != x.ptr
    a[...] = 3
    assert x.tolist() == [0] * 4


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_lifetimes(device, max_version):
    with nothing_leaks(device):
        x = gpuarray.ones(1000)
        managed, capsule = lent(x, max_version)
        del x
        gc.collect()
        assert managed.tensor.data
        del capsule


@pytest.mark.parametrize("bad", [0, -2, "one", 1.0])
def test_bad_streams(device, bad):
    with pytest.raises((ValueError, TypeError), match=r"stream|int"):
        gpuarray.zeros(3).__dlpack__(stream=bad)


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("copy", [None, True])
def test_the_consumers_stream_waits(cuda, copy):
    x = gpuarray.zeros(SHAPE, "float32")
    with gpuarray.Stream():
        x[...] = zeros_later() + 5
    with gpuarray.Stream():
        stream = gpuarray.current_stream().ptr
        managed, capsule = lent(x, stream=stream, copy=copy)
        raw = type("Raw", (), {})()
        raw.__cuda_array_interface__ = {
            "shape": SHAPE, "typestr": "<f4", "data": (managed.tensor.data, False), "version": 3,
        }  # fmt: skip
        assert (gpuarray.from_cuda_array_interface(raw).get() == 5).all()
        del capsule


@pytest.mark.cuda
@needs_late_work
def test_the_host_waits_for_what_it_sees(cuda, kind):
    x = MAKERS[kind](SHAPE, "float32")
    with gpuarray.Stream():
        x[...] = zeros_later() + 5
    assert (np.from_dlpack(x, device="cpu") == 5).all()


BAD_ARGUMENTS = {
    "copy text": ({"copy": "yes"}, TypeError, "copy.*str"),
    "copy number": ({"copy": 1}, TypeError, "copy.*int"),
    "stream text": ({"stream": "one"}, TypeError, "stream.*str"),
    "stream float": ({"stream": 1.0}, TypeError, "stream.*float"),
    "max_version number": ({"max_version": 1}, TypeError, "max_version.*int"),
    "max_version short": ({"max_version": (1,)}, TypeError, "max_version.*tuple"),
    "max_version text": ({"max_version": ("1", "0")}, TypeError, "max_version.*str"),
    "max_version minor": ({"max_version": (1, None)}, TypeError, "max_version.*NoneType"),
    "dl_device number": ({"dl_device": 1}, TypeError, "dl_device.*int"),
    "dl_device long": ({"dl_device": (1, 0, 0)}, TypeError, "dl_device.*tuple"),
    "dl_device text": ({"dl_device": ("cpu", 0)}, TypeError, "dl_device.*str"),
    "dl_device float": ({"dl_device": (1, 0.0)}, TypeError, "dl_device.*float"),
    "dl_device range": ({"dl_device": (1 + 2**32, 0)}, ValueError, "dl_device.*out of range"),
    "dl_device unknown": ({"dl_device": (8, 0)}, BufferError, "8"),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments(device, name):
    arguments, error, message = BAD_ARGUMENTS[name]
    with pytest.raises(error, match=message):
        gpuarray.zeros(3).__dlpack__(**arguments)


def test_bad_copies_of_imports(device):
    with pytest.raises(TypeError, match=r"copy.*str"):
        gpuarray.from_dlpack(gpuarray.zeros(3), copy="yes")
    assert gpuarray.from_dlpack(gpuarray.zeros(3), copy=np.True_).tolist() == [0, 0, 0]
