# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Tensors that a producer lends through DLPack, field by field."""

import gc
import sys
import threading

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
    Producer,
    on_device,
    producer_of,
)
from _support.dtypes import BFLOAT16, DTYPES
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.samples import ordinary
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

KNOWN = [dtype for dtype in DTYPES if dtype != BFLOAT16]


@st.composite
def strided(draw):
    """A NumPy array of any shape and strides: steps, negative ones, broadcast and swapped axes."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    host = np.arange(1 + 5 ** len(shape), dtype=draw(st.sampled_from(["int16", "float64"])))
    strides, reach = [], 1
    for extent in shape:
        strides.append(reach * draw(st.sampled_from([1, 0, -1, 1])))
        reach *= max(extent, 1)
    low = sum((e - 1) * s for e, s in zip(shape, strides, strict=True) if e and s < 0)
    order = draw(st.permutations(range(len(shape))))
    view = np.lib.stride_tricks.as_strided(
        host[-low:], shape, [s * host.itemsize for s in strides], writeable=False
    )
    return view.transpose(order)


@given(host=strided(), versioned=st.booleans())
def test_any_layout(device, host, versioned):
    producer = on_device(host, device, versioned=versioned)
    x = gpuarray.from_dlpack(producer)
    assert x.device == device
    assert x.dtype == host.dtype
    assert_same(x, host)
    assert producer.deleted == 0
    del x
    assert producer.deleted == 1


@given(offset=st.integers(0, 9), count=st.integers(0, 20))
def test_byte_offset(device, offset, count):
    host = np.arange(30, dtype=np.int32)
    producer = on_device(host, device, byte_offset=4 * offset)
    producer.tensor.shape[0] = count
    x = gpuarray.from_dlpack(producer)
    assert_same(x, host[offset : offset + count])
    if count:
        assert x.ptr == producer.tensor.data + 4 * offset


@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_null_strides_are_c_order(device, dtype):
    host = ordinary(dtype, (2, 3, 4))
    producer = on_device(host, device)
    producer.tensor.strides = None
    assert_same(gpuarray.from_dlpack(producer), host)


def test_bfloat16(device):
    memory = gpuarray.full(5, 1.5, BFLOAT16)
    gpuarray.synchronize()
    kind = (CPU, 0) if device == "cpu" else (CUDA, 0)
    x = gpuarray.from_dlpack(Producer(memory.ptr, (5,), BFLOAT16, device=kind, owner=memory))
    assert x.dtype == BFLOAT16
    assert x.astype("float32").tolist() == [1.5] * 5


@given(shift=st.integers(1, 7), step=st.sampled_from([1, -1, 2]))
def test_unaligned_elements_are_copied(device, shift, step):
    host = np.arange(10.0)
    raw = np.zeros(88, np.uint8)
    raw[shift : shift + 80] = host.view(np.uint8)
    memory = gpuarray.to_device(raw)
    gpuarray.synchronize()
    kind = (CPU, 0) if device == "cpu" else (CUDA, 0)
    expected = host[::step]
    first = shift + (72 if step < 0 else 0)
    make = lambda: Producer(  # noqa: E731
        memory.ptr, expected.shape, "float64", (step,), device=kind, byte_offset=first, owner=memory
    )
    producer = make()
    x = gpuarray.from_dlpack(producer)
    assert producer.deleted == 1
    assert_same(x, expected)
    x[...] = 0
    assert_same(memory, raw)
    refused = make()
    with pytest.raises(BufferError, match=r"not aligned for float64.*copy=False"):
        gpuarray.from_dlpack(refused, copy=False)
    assert refused.deleted == 1
    with pytest.raises(BufferError, match="copy=False"):
        gpuarray.asarray(make(), copy=False)


@pytest.mark.parametrize("versioned", [True, False])
def test_the_deleter_runs_once_after_the_last_view(device, versioned):
    producer = on_device(np.arange(6.0), device, versioned=versioned)
    x = gpuarray.from_dlpack(producer)
    y = x[::2]
    del x
    gc.collect()
    assert producer.deleted == 0
    assert y.tolist() == [0, 2, 4]
    del y
    assert producer.deleted == 1
    assert "used_dltensor" in repr(producer.capsule)


def test_no_deleter(device):
    x = gpuarray.from_dlpack(on_device(np.arange(3.0), device, deleter=False))
    assert x.tolist() == [0, 1, 2]


def test_the_deleter_runs_on_any_thread(device):
    producer = on_device(np.arange(3.0), device)
    held = [gpuarray.from_dlpack(producer)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert producer.deleted == 1


def test_the_producer_is_kept_and_let_go(device):
    producer = on_device(np.arange(3.0), device)
    before = sys.getrefcount(producer)
    x = gpuarray.from_dlpack(producer)
    assert sys.getrefcount(producer) == before + 1
    del x
    assert sys.getrefcount(producer) == before


@pytest.mark.parametrize("version", [(2, 0), (0, 8), (7, 5)], ids=str)
def test_other_major_versions_are_given_back(version):
    producer = producer_of(np.arange(3.0), version=version)
    with pytest.raises(BufferError, match=rf"DLPack {version[0]}\.{version[1]}.*expected 1\.3"):
        gpuarray.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize("minor", [0, 9])
def test_other_minor_versions_are_taken(minor):
    assert gpuarray.from_dlpack(producer_of(np.arange(3.0), version=(1, minor))).sum() == 3


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"ndim": -1}, BufferError, "got -1"),
        ({"ndim": 65}, BufferError, "got 65"),
        ({"shape": None}, BufferError, "no shape"),
        ({"data": None}, BufferError, "no address"),
        ({"code": 3}, BufferError, "code 3, bits 64"),
        ({"code": 10, "bits": 8}, BufferError, "code 10, bits 8"),
        ({"bits": 4}, BufferError, "bits 4"),
        ({"lanes": 2}, BufferError, "lanes 2"),
        ({"device_type": 7}, BufferError, "device type 7"),
        ({"device_type": CUDA, "device_id": 999}, gpuarray.DeviceError, "cuda:999"),
    ],
    ids=str,
)
def test_malformed_tensors_are_given_back(changes, error, message):
    producer = producer_of(np.arange(3.0))
    for field, value in changes.items():
        setattr(producer.tensor, field, value)
    with pytest.raises(error, match=message):
        gpuarray.from_dlpack(producer)
    assert producer.deleted == 1


@pytest.mark.parametrize(
    ("extent", "stride", "error", "message"),
    [
        (-1, 1, ValueError, "negative"),
        (2, 1 << 62, BufferError, "strides"),
        (1 << 62, 1, ValueError, "too big"),
        (3, -(1 << 62), BufferError, "strides"),
    ],
)
def test_impossible_layouts_are_given_back(extent, stride, error, message):
    producer = producer_of(np.arange(3.0))
    producer.tensor.shape[0], producer.tensor.strides[0] = extent, stride
    with pytest.raises(error, match=message):
        gpuarray.from_dlpack(producer)
    assert producer.deleted == 1


def test_read_only(device):
    x = gpuarray.from_dlpack(on_device(np.arange(3.0), device, flags=READ_ONLY))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags.writeable = True


def test_what_the_producer_copied_is_not_copied_again(device):
    for flags in (IS_COPIED, 0):
        producer = on_device(np.arange(3.0), device, flags=flags)
        x = gpuarray.from_dlpack(producer, copy=True)
        assert producer.calls[0]["copy"] is True
        assert (x.ptr == producer.tensor.data) == (flags == IS_COPIED)
        assert x.tolist() == [0, 1, 2]


def test_keywords(device):
    producer = on_device(np.arange(3.0), device)
    gpuarray.from_dlpack(producer)
    (call,) = producer.calls
    assert call["max_version"] == (1, 3)
    assert "copy" not in call
    if device == "cpu":
        assert "stream" not in call
        return
    with gpuarray.Stream() as stream:
        gpuarray.from_dlpack(producer, copy=False)
    assert producer.calls[1]["stream"] == stream.ptr
    assert producer.calls[1]["copy"] is False


@pytest.mark.parametrize("known", [("stream",), ()])
def test_old_producers(device, known):
    class Old(Producer):
        def __dlpack__(self, **kwargs):
            if set(kwargs) - set(known):
                raise TypeError("unexpected keyword")
            return super().__dlpack__(**kwargs)

    host = np.arange(3.0)
    made = on_device(host, device, versioned=False)
    made.__class__ = Old
    for copy in (None, False, True):
        x = gpuarray.from_dlpack(made, copy=copy)
        assert x.tolist() == [0, 1, 2]
        assert (x.ptr == made.tensor.data) == (copy is not True)
    del x
    assert made.deleted == 3


@pytest.mark.parametrize("kind", [PINNED, MANAGED])
def test_memory_that_host_and_device_share(device, kind):
    if device == "cpu" and (kind == MANAGED or len(gpuarray.devices()) > 1):
        pytest.skip("such memory is a CUDA device's, where there is one")
    make = gpuarray.zeros_pinned if kind == PINNED else gpuarray.zeros_managed
    memory = make(5, "float32")
    gpuarray.synchronize()
    make = lambda: Producer(  # noqa: E731
        memory.ptr, (5,), "float32", device=(kind, 0), owner=memory
    )
    x = gpuarray.from_dlpack(make())
    assert x.ptr == memory.ptr
    assert x.memory_kind == memory.memory_kind
    assert x.device == memory.device
    x += 3
    host = np.from_dlpack(x)
    assert host.ctypes.data == memory.ptr
    assert host.tolist() == [3] * 5
    y = gpuarray.from_dlpack(make(), device="cpu", copy=False)
    assert y.device == "cpu"
    assert y.ptr == memory.ptr
    assert y.tolist() == [3] * 5


def test_device_argument(device):
    host = np.arange(6.0).reshape(2, 3)
    for target in map(str, gpuarray.devices()):
        producer = on_device(host.T, device)
        x = gpuarray.from_dlpack(producer, device=target)
        assert x.device == target
        assert_same(x, host.T)
        if target == device:
            assert x.ptr == producer.tensor.data
            continue
        assert producer.deleted == 1
        with pytest.raises(BufferError, match="without a copy"):
            gpuarray.from_dlpack(producer, device=target, copy=False)


def test_own_arrays_are_viewed(device):
    x = gpuarray.arange(6.0)
    x.flags.writeable = False
    y = gpuarray.from_dlpack(x)
    assert y is not x
    assert y.ptr == x.ptr
    assert y.base is x
    assert not y.flags.writeable
    z = gpuarray.from_dlpack(x, copy=True)
    assert z.ptr != x.ptr
    assert z.flags.writeable
    assert_same(z, x.get())


@pytest.mark.cuda
@needs_late_work
def test_work_on_a_view_of_an_own_array_is_ordered(cuda):
    x = gpuarray.zeros(SHAPE, "float32")
    y = gpuarray.from_dlpack(x)
    with gpuarray.Stream():
        x[...] = zeros_later() + 5
    assert (y.get() == 5).all()


@pytest.mark.cuda
def test_asarray_has_a_second_protocol(cuda):
    """CuPy's tensors of negative strides have 2**64 too many in them, divided by the itemsize."""
    memory = gpuarray.arange(5, dtype="int32")
    gpuarray.synchronize()

    class Two(Producer):
        __cuda_array_interface__ = memory[::-1].__cuda_array_interface__

    kind, wrong = (CUDA, 0), ((1 << 62) - 1,)
    make = lambda: Two(memory.ptr + 16, (5,), "int32", wrong, device=kind, owner=memory)  # noqa: E731
    producer = make()
    x = gpuarray.asarray(producer)
    assert producer.deleted == 1
    assert x.ptr == memory.ptr + 16
    assert x.tolist() == [4, 3, 2, 1, 0]
    with pytest.raises(BufferError, match="strides"):
        gpuarray.from_dlpack(make())
