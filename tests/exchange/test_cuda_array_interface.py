# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""__cuda_array_interface__, version 3."""

import gc
import sys

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES
from _support.measure import nothing_leaks
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.process import run_python
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

KNOWN = [dtype for dtype in DTYPES if dtype != BFLOAT16]


class Foreign:
    """Another library's array: the interface and nothing else."""

    def __init__(self, owner, **changes):
        self.owner = owner
        self.__cuda_array_interface__ = {**owner.__cuda_array_interface__, **changes}


def test_cpu_arrays_have_no_such_attribute():
    x = gpuarray.zeros(2, device="cpu")
    assert not hasattr(x, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="cpu"):
        _ = x.__cuda_array_interface__


def described(**changes):
    """An object with an interface whose memory is not there."""
    good = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}
    return type("Described", (), {"__cuda_array_interface__": {**good, **changes}})()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"mask": [True]}, ValueError, "mask"),
        ({"typestr": "|O"}, TypeError, "object"),
        ({"typestr": ">f8"}, TypeError, ">f8"),
        ({"typestr": "<V2"}, TypeError, "V2|void"),
        ({"shape": (-1,)}, ValueError, "negative"),
        ({"shape": "abc"}, TypeError, "str"),
        ({"shape": None}, ValueError, "shape"),
        ({"shape": (1,) * 65}, ValueError, "64"),
        ({"strides": (8, 8)}, ValueError, "strides.*2.*1"),
        ({"strides": (7,)}, ValueError, "stride 7.*8"),
        ({"data": None}, ValueError, "data"),
        ({"data": 4096}, ValueError, "data"),
        ({"data": (0, False)}, ValueError, "address"),
        ({"data": ("here", False)}, TypeError, "int"),
        ({"typestr": "|V8", "descr": [("x", "<f4"), ("y", "<f4")]}, TypeError, "V8|void"),
        ({"strides": (1 << 62,)}, (ValueError, BufferError), "strides"),
        ({"version": 4}, ValueError, "version 4"),
        ({"version": "new"}, TypeError, "int"),
    ],
    ids=str,
)
def test_malformed_descriptions(changes, error, message):
    for convert in (gpuarray.asarray, gpuarray.to_device):
        with pytest.raises(error, match=message):
            convert(described(**changes))


def test_addresses_of_nothing_are_refused():
    with pytest.raises((gpuarray.DeviceError, gpuarray.CudaError, ValueError)):
        gpuarray.asarray(described())


@pytest.mark.cuda
@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_description(cuda, dtype):
    x = gpuarray.zeros((2, 3), dtype)
    interface = x.__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["shape"] == (2, 3)
    assert interface["typestr"] == dtype.str
    assert interface["data"] == (x.ptr, False)
    assert interface.get("strides") is None
    assert interface["stream"] != 0


@pytest.mark.cuda
def test_description_of_views(cuda):
    x = gpuarray.zeros((4, 6), np.float32)
    view = x[1::2, ::-1]
    interface = view.__cuda_array_interface__
    assert interface["strides"] == (48, -4)
    assert interface["data"][0] == view.ptr
    assert gpuarray.zeros((0, 3)).__cuda_array_interface__["data"][0] == 0
    x.flags.writeable = False
    assert x.__cuda_array_interface__["data"][1] is True


@pytest.mark.cuda
def test_the_stream_lives_as_long_as_the_array(cuda):
    with gpuarray.Stream() as stream:
        x = gpuarray.zeros(3)
    handle = x.__cuda_array_interface__["stream"]
    assert handle == stream.ptr
    x += 1  # on another stream
    del stream
    gc.collect()
    gpuarray.ExternalStream(handle).synchronize()
    assert x.tolist() == [1, 1, 1]


@pytest.mark.cuda
def test_bfloat16_has_no_typestr(cuda):
    with pytest.raises((AttributeError, TypeError, BufferError), match="bfloat16"):
        _ = gpuarray.zeros(2, "bfloat16").__cuda_array_interface__


@pytest.mark.cuda
def test_foreign_arrays_are_shared(cuda):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    y = gpuarray.asarray(Foreign(x.T))
    assert y.ptr == x.ptr
    assert_same(y, x.get().T)
    y[0, 1] = 100
    assert x[1, 0].item() == 100
    assert gpuarray.to_device(Foreign(x)).ptr != x.ptr


@pytest.mark.cuda
@pytest.mark.parametrize("stream", [None, 1, 2])
def test_streams_of_the_producer(cuda, stream):
    x = gpuarray.ones(1000)
    assert gpuarray.asarray(Foreign(x, stream=stream)).sum().item() == 1000


@pytest.mark.cuda
def test_streams_below_0_are_refused(cuda):
    with pytest.raises(ValueError, match="stream -1"):
        gpuarray.asarray(Foreign(gpuarray.zeros(3), stream=-1))


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("version", [2, 3])
def test_the_producers_stream_is_waited_for(cuda, version):
    """Named in version 3; before, the legacy default stream, which the main stream joins."""
    x = gpuarray.zeros(SHAPE, "float32")
    with gpuarray.Stream() as side:
        x[...] = zeros_later() + 5
        stream = gpuarray.current_stream().ptr
    gpuarray.current_stream().wait_event(side.record())
    plain = Foreign(x, stream=stream, version=version)
    with gpuarray.Stream():
        assert (gpuarray.asarray(plain).get() == 5).all()


@pytest.mark.cuda
def test_no_stream_needs_no_wait(cuda):
    x = gpuarray.ones(10)
    gpuarray.synchronize()
    assert gpuarray.asarray(Foreign(x, stream=None)).sum().item() == 10
    owner = Foreign(x)
    del owner.__cuda_array_interface__["stream"]
    assert gpuarray.asarray(owner).sum().item() == 10


def test_the_switch():
    assert gpuarray.cuda_array_interface_sync() is True
    assert gpuarray.set_cuda_array_interface_sync(False) is True
    try:
        assert gpuarray.cuda_array_interface_sync() is False
    finally:
        assert gpuarray.set_cuda_array_interface_sync(True) is False


@pytest.mark.parametrize(("value", "expected"), [("0", "False"), ("1", "True"), ("", "True")])
def test_the_switch_in_the_environment(value, expected):
    code = "import gpuarray; print(gpuarray.cuda_array_interface_sync())"
    said = run_python(code, GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC=value)
    assert said.strip() == expected


def test_a_bad_switch_in_the_environment():
    code = """
        import gpuarray
        try:
            gpuarray.cuda_array_interface_sync()
        except ValueError as error:
            print(error)
    """
    said = run_python(code, GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC="2")
    assert said.strip() == "GPUARRAY_CUDA_ARRAY_INTERFACE_SYNC=2: expected 0 or 1"


@pytest.mark.cuda
def test_without_synchronisation_the_stream_is_not_looked_at(cuda):
    wrong = Foreign(gpuarray.zeros(3), stream=0)
    assert gpuarray.from_cuda_array_interface(wrong, sync=False).shape == (3,)
    before = gpuarray.set_cuda_array_interface_sync(False)
    try:
        assert gpuarray.asarray(wrong).shape == (3,)
        with pytest.raises(ValueError, match="stream 0"):
            gpuarray.from_cuda_array_interface(wrong, sync=True)
    finally:
        gpuarray.set_cuda_array_interface_sync(before)


@pytest.mark.cuda
@given(data=st.data())
def test_any_view_is_described(cuda, data):
    host = data.draw(arrays(dtype=np.dtype(np.int32)))
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    interface = x.__cuda_array_interface__
    assert interface["shape"] == a.shape
    assert interface["descr"] == [("", "<i4")]
    assert interface["data"][0] == (x.ptr if x.size else 0)
    if interface["strides"] is not None:
        assert interface["strides"] == x.strides
    y = gpuarray.asarray(Foreign(x))
    assert_same(y, np.asarray(a))
    assert y.shape == x.shape


@pytest.mark.cuda
@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_kinds_of_memory_are_found(cuda, kind):
    make = {"pinned": gpuarray.zeros_pinned, "managed": gpuarray.zeros_managed}[kind]
    x = make(4, "float32")
    y = gpuarray.asarray(Foreign(x))
    assert y.memory_kind == kind
    assert y.ptr == x.ptr
    y += 2
    assert np.asarray(y).tolist() == [2] * 4


@pytest.mark.cuda
def test_the_owner_is_kept_and_let_go(cuda):
    owner = Foreign(gpuarray.ones(1000))
    with nothing_leaks(cuda, owner):
        before = sys.getrefcount(owner)
        x = gpuarray.asarray(owner)
        y = x[::2]
        del x
        assert sys.getrefcount(owner) == before + 2  # of the base and of the memory
        assert y.sum().item() == 500
        del y


@pytest.mark.cuda
@needs_late_work
def test_the_exported_stream_covers_all_work(cuda):
    x = gpuarray.zeros(SHAPE, "float32")
    with gpuarray.Stream():
        x[...] = zeros_later() + 5
    with gpuarray.Stream():
        y = gpuarray.asarray(Foreign(x))
        assert (y.get() == 5).all()


@pytest.mark.cuda
def test_foreign_streams_are_not_exported(cuda):
    """Their handles may be gone before the array, or mean another stream on another thread."""
    own = gpuarray.Stream()
    main = gpuarray.current_stream().ptr
    with gpuarray.ExternalStream(own.ptr):
        x = gpuarray.ones(3)
    assert x.__cuda_array_interface__["stream"] == main
    with own:
        y = gpuarray.ones(3)
    assert y.__cuda_array_interface__["stream"] == own.ptr


@pytest.mark.cuda
def test_stream_0_is_ambiguous(cuda):
    with pytest.raises(ValueError, match="stream 0"):
        gpuarray.asarray(Foreign(gpuarray.zeros(3), stream=0))


@pytest.mark.cuda
def test_read_only_foreign_arrays(cuda):
    x = gpuarray.zeros(3)
    y = gpuarray.asarray(Foreign(x, data=(x.ptr, True)))
    with pytest.raises(ValueError, match="read-only"):
        y += 1
