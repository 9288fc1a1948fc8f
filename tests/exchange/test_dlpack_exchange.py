# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The C exchange tables of DLPack 1.3: GPUArray's own, and those of other libraries' types."""

import ctypes
import gc
import os
import sys
import threading

import numpy as np
import pytest
from _support.compare import assert_same
from _support.cuda_driver import CudaDriver
from _support.dlpack import (
    CPU,
    CUDA,
    IS_COPIED,
    MANAGED,
    PINNED,
    READ_ONLY,
    ExchangeApi,
    FromObject,
    Producer,
    SetError,
    Tensor,
    Versioned,
    capsule,
    producer_of,
    table_of,
    type_of,
    with_table,
)
from _support.dtypes import DTYPES
from _support.measure import nothing_leaks
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

TABLE = table_of(gpuarray.GPUArray)
TABLED = with_table()


def exported(x):
    """The managed tensor of an array, to be given back by its deleter."""
    address = ctypes.c_void_p()
    assert TABLE.from_object(x, ctypes.byref(address)) == 0
    return Versioned.from_address(address.value)


def give_back(managed):
    managed.deleter(ctypes.addressof(managed))


def imported(managed):
    made = ctypes.py_object()
    assert TABLE.to_object(ctypes.addressof(managed), ctypes.byref(made)) == 0
    array = made.value
    ctypes.pythonapi.Py_DecRef(made)  # ours: `array` has another
    return array


def lent(x):
    tensor = Tensor()
    assert TABLE.lend(x, ctypes.byref(tensor)) == 0
    return tensor


def check(tensor, x):
    assert tensor.data == (x.ptr if x.size else None)
    assert (tensor.device_type, tensor.device_id) == x.__dlpack_device__()
    assert (tensor.code, tensor.bits) == type_of(x.dtype)
    assert tensor.lanes == 1
    assert tensor.byte_offset == 0
    assert tensor.ndim == x.ndim
    assert tuple(tensor.shape[: x.ndim]) == x.shape
    assert [stride * x.itemsize for stride in tensor.strides[: x.ndim]] == list(x.strides)


def test_a_tensor_stays_the_callers_where_memory_is_short():
    memory = pytest.importorskip("_testcapi")
    for nth in range(40):
        producer, made = producer_of(np.arange(3.0)), ctypes.py_object()
        tensor, out = ctypes.addressof(producer.managed), ctypes.byref(made)
        memory.set_nomemory(nth, nth + 1)
        try:
            TABLE.to_object(tensor, out)
        except (MemoryError, ctypes.ArgumentError) as error:
            assert not made, error
        memory.remove_mem_hooks()
        assert producer.deleted == 0
        if made:
            ctypes.pythonapi.Py_DecRef(made)


def test_the_table():
    assert (TABLE.major, TABLE.minor) == (1, 3)
    assert TABLE.previous is None
    assert "dlpack_exchange_api" in repr(gpuarray.GPUArray.__dlpack_c_exchange_api__)
    with pytest.raises((TypeError, AttributeError)):
        gpuarray.GPUArray.__dlpack_c_exchange_api__ = None


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_out_and_in(device, dtype):
    x = gpuarray.ones((2, 3), dtype)
    managed = exported(x.T)
    assert (managed.major, managed.minor, managed.flags) == (1, 3, 0)
    check(managed.tensor, x.T)
    check(lent(x.T), x.T)
    y = imported(managed)
    assert y.dtype == dtype
    assert y.device == device
    assert y.ptr == x.ptr
    x[0, 1] = 0
    assert_same(y, x.get().T)


@given(data=st.data())
def test_any_view_out_and_in(device, data):
    host = data.draw(arrays(dtype=np.dtype(np.float32)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    managed = exported(x)
    check(managed.tensor, x)
    assert_same(imported(managed), np.asarray(a))


def test_nothing_leaks(device):
    x = gpuarray.zeros(1000)
    with nothing_leaks(device, x):
        for _ in range(20):
            give_back(exported(x))
            lent(x)
            imported(exported(x))


def test_tensors_outlive_the_array(device):
    x = gpuarray.full(1000, 2.0)
    managed = exported(x)
    del x
    gc.collect()
    assert imported(managed).sum().item() == 2000


def test_the_deleter_runs_without_the_gil(device):
    """Functions of ctypes are called without it, on a thread that has a state of Python's."""
    x = gpuarray.zeros(1000)
    with nothing_leaks(device):
        managed = exported(gpuarray.zeros(1000))
        thread = threading.Thread(target=give_back, args=(managed,))
        thread.start()
        thread.join()
        give_back(exported(x + 1))


def test_read_only(device):
    x = gpuarray.zeros(3)
    x.flags.writeable = False
    managed = exported(x)
    assert managed.flags == READ_ONLY
    assert not imported(managed).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        TABLE.lend(x, ctypes.byref(Tensor()))


@pytest.mark.parametrize("function", ["from_object", "lend"])
def test_other_objects_are_refused(function):
    out = Tensor() if function == "lend" else ctypes.c_void_p()
    with pytest.raises(TypeError, match="expected a GPUArray, got list"):
        getattr(TABLE, function)([], ctypes.byref(out))


def test_a_refused_tensor_stays_the_callers():
    for changes in ({"version": (2, 0)}, {"lanes": 2}):
        producer = producer_of(np.arange(3.0), **changes)
        made = ctypes.py_object()
        with pytest.raises(BufferError, match=r"DLPack 2\.0|lanes 2"):
            TABLE.to_object(ctypes.addressof(producer.managed), ctypes.byref(made))
        assert producer.deleted == 0


def allocated(dtype, shape, device):
    """What the allocator gives, and the errors it reports."""
    errors = []
    report = SetError(lambda context, kind, message: errors.append((context, kind, message)))
    extents = (ctypes.c_int64 * len(shape))(*shape)
    prototype = Tensor(None, *device, len(shape), *type_of(dtype), 1, extents, None, 0)
    out = ctypes.POINTER(Versioned)()
    status = TABLE.allocate(ctypes.byref(prototype), ctypes.byref(out), 5, report)
    assert (status == 0) == bool(out) == (not errors)
    return (out.contents if out else None), errors


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (2, 3), (0, 4)], ids=str)
def test_allocation(device, dtype, shape):
    kind = (CPU, 0) if device == "cpu" else (CUDA, 0)
    made, _ = allocated(dtype, shape, kind)
    x = imported(made)
    assert (x.shape, x.dtype, str(x.device)) == (shape, dtype, device)
    assert x.flags.c_contiguous
    x[...] = 1
    assert_same(x, np.ones(shape, dtype))


@pytest.mark.parametrize("kind", [PINNED, MANAGED])
def test_allocation_of_shared_memory(device, kind):
    if device == "cpu":
        pytest.skip("needs a CUDA device")
    made, _ = allocated("float32", (3,), (kind, 0))
    assert made.tensor.device_type == kind
    assert imported(made).memory_kind == ("pinned" if kind == PINNED else "managed")


def test_failed_allocations_are_reported(device):
    kind = (CPU, 0) if device == "cpu" else (CUDA, 0)
    for shape, of, name, text in [
        ((-1,), kind, b"ValueError", b"negative"),
        ((1 << 61,), kind, None, b""),
        ((1,), (8, 0), b"BufferError", b"device type 8"),
    ]:
        made, ((context, kind_of_error, message),) = allocated("float64", shape, of)
        assert made is None
        assert context == 5
        assert name in (None, kind_of_error)
        assert text in message
    assert sys.exc_info() == (None, None, None)


def work_stream(kind, index=0):
    out = ctypes.c_void_p()
    assert TABLE.work_stream(kind, index, ctypes.byref(out)) == 0
    return out.value or 0


def test_work_stream_of_the_host():
    assert work_stream(CPU) == 0
    with pytest.raises(BufferError, match="device type 8"):
        work_stream(8)


@pytest.mark.cuda
def test_work_stream(cuda):
    assert work_stream(CUDA) == gpuarray.current_stream().ptr
    with gpuarray.Stream() as stream:
        for kind in (CUDA, PINNED, MANAGED):
            assert work_stream(kind) == stream.ptr
    with pytest.raises(gpuarray.DeviceError):
        work_stream(CUDA, 999)


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("give", [exported, lent])
def test_the_work_stream_has_waited(cuda, give):
    """A consumer's copy on the work stream comes after what is pending elsewhere."""
    x = gpuarray.zeros(SHAPE, "float32")
    with gpuarray.Stream():
        x[...] = zeros_later() + 5
    tensor = give(x)
    address = getattr(tensor, "tensor", tensor).data
    raw = type("Raw", (), {})()
    raw.__cuda_array_interface__ = {
        "shape": SHAPE, "typestr": "<f4", "data": (address, False), "version": 3,
        "stream": work_stream(CUDA) or 1,
    }  # fmt: skip
    assert (gpuarray.from_cuda_array_interface(raw).get() == 5).all()
    if give is exported:
        give_back(tensor)


@pytest.mark.cuda
def test_what_consumers_queue_in_a_block_comes_before_later_work(cuda):
    """Also on a stream of theirs, of which the block's end is the last that we see."""
    own = gpuarray.Stream()
    driver = CudaDriver(os.environ.get("GPUARRAY_LIBCUDA", "libcuda.so.1"))
    for stream in (own, gpuarray.ExternalStream(own.ptr)):
        x = gpuarray.zeros(1 << 16, np.uint8)
        done = threading.Event()
        with stream:
            lent(x)
            own.launch_host_func(done.wait, 10)
            driver.fill(x.ptr, 7, x.nbytes, own.ptr)
        later = x + 0
        done.set()
        assert_same(later, np.full(1 << 16, 7, np.uint8))


def test_tables_of_other_types_are_used():
    made = with_table()
    host = np.arange(12.0).reshape(3, 4)[:, ::-2]
    for take in (gpuarray.from_dlpack, gpuarray.asarray):
        producer = producer_of(host)
        producer.__class__ = made
        x = take(producer)
        assert x.device == "cpu"
        assert_same(x, host)
        assert producer.deleted == 0
        del x
        assert producer.deleted == 1
    assert made.table_calls == 2
    assert made.stream_calls == ()  # the host has none


@given(data=st.data())
def test_any_tensor_through_a_table(data):
    host = data.draw(arrays(dtype=np.dtype(np.int16)))
    a, _ = data.draw(views((host, host)))
    producer = producer_of(np.asarray(a), flags=data.draw(st.sampled_from([0, 1, 2, 3])))
    producer.__class__ = TABLED
    x = gpuarray.from_dlpack(producer)
    assert_same(x, np.asarray(a))
    assert x.flags.writeable == (not producer.managed.flags & READ_ONLY)
    assert (x.base is None) == bool(producer.managed.flags & IS_COPIED)
    del x
    assert producer.deleted == 1


def test_a_copy_is_asked_of_the_producer():
    asked = []

    class Asked(with_table()):
        def __dlpack__(self, **kwargs):
            asked.append(kwargs["copy"])
            return producer_of(self.owner).__dlpack__()

    producer = producer_of(np.arange(3.0))
    producer.__class__ = Asked
    assert gpuarray.from_dlpack(producer, copy=True).tolist() == [0, 1, 2]
    assert asked == [True]


def test_what_a_table_refuses(device):
    producer = producer_of(np.arange(3.0), version=(2, 1))
    producer.__class__ = with_table()
    with pytest.raises(BufferError, match=r"DLPack 2\.1"):
        gpuarray.from_dlpack(producer)
    assert producer.deleted == 1


def test_errors_of_a_table_pass_through():
    producer = producer_of(np.arange(3.0))
    producer.__class__ = with_table(from_object=FromObject(lambda made, out: -1))
    with pytest.raises(BufferError, match="managed_tensor_from_py_object_no_sync failed"):
        gpuarray.from_dlpack(producer)


@pytest.mark.parametrize("changes", [{"major": 2}, {"from_object": type(TABLE.from_object)()}])
def test_tables_that_cannot_be_used_are_passed_over(changes):
    made = with_table(**changes)
    made.__dlpack__ = type(producer_of(np.zeros(1))).__dlpack__
    producer = producer_of(np.arange(3.0))
    producer.__class__ = made
    assert gpuarray.from_dlpack(producer).tolist() == [0, 1, 2]
    assert producer.calls


def test_an_older_table_behind_a_newer():
    made = with_table()
    newer = ExchangeApi(major=2, minor=0, previous=ctypes.addressof(made.table))
    made.__dlpack_c_exchange_api__ = capsule(ctypes.addressof(newer), "dlpack_exchange_api")
    producer = producer_of(np.arange(3.0))
    producer.__class__ = made
    assert gpuarray.from_dlpack(producer).tolist() == [0, 1, 2]
    assert made.table_calls == 1


@pytest.mark.parametrize(("dtype", "recorded"), [("float64", True), ("complex128", False)])
def test_tensors_that_their_library_may_refuse_are_asked_for(dtype, recorded):
    """PyTorch's table lends tensors that its __dlpack__ does not: with gradients, conjugated."""
    made = with_table()
    made.requires_grad = recorded

    def refuse(self, **kwargs):
        raise BufferError("not this one")

    made.__dlpack__ = refuse
    producer = producer_of(np.zeros(3, dtype))
    producer.__class__ = made
    with pytest.raises(BufferError, match="not this one"):
        gpuarray.from_dlpack(producer)


@pytest.mark.cuda
@needs_late_work
def test_the_producers_stream_is_waited_for(cuda):
    with gpuarray.Stream() as stream:
        memory = gpuarray.zeros(SHAPE, "float32")
        memory[...] = zeros_later() + 5
        made = with_table(stream=stream.ptr)
        producer = Producer(memory.ptr, SHAPE, "float32", device=(CUDA, 0), owner=memory)
    producer.__class__ = made
    with gpuarray.Stream():
        assert (gpuarray.from_dlpack(producer).get() == 5).all()
    assert made.stream_calls == ((CUDA, 0),)
