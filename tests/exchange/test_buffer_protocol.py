# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""memoryview, numpy.asarray and others that read buffers; the guard over implicit transfers."""

import ctypes
import gc
import hashlib
import io
import logging
import os
import pickle
import socket
import struct
import threading
import weakref

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES
from _support.pending import SHAPE, needs_late_work, zeros_later
from _support.process import run_python
from _support.samples import ordinary
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


def zero_copy(device):
    return device == "cpu"


@given(data=st.data())
def test_numpy_sees_the_elements(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    assert_same(np.asarray(x), np.asarray(a))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != BFLOAT16], ids=str)
def test_memoryview(device, dtype):
    host = ordinary(dtype, (3, 4))
    x = gpuarray.to_device(host)
    view, expected = memoryview(x), memoryview(host)
    assert (view.shape, view.ndim, view.itemsize) == ((3, 4), 2, dtype.itemsize)
    assert view.nbytes == host.nbytes
    assert view.format == expected.format
    assert view.strides == expected.strides
    assert view.c_contiguous
    assert view.readonly == (not zero_copy(device))
    assert view.tobytes() == host.tobytes()


def test_memoryview_of_strided_views(device):
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    x = gpuarray.to_device(host)
    for index in (np.s_[::2, ::-1], np.s_[1], np.s_[1, 2], np.s_[:0]):
        assert memoryview(x[index]).tolist() == np.asarray(host[index]).tolist()


def test_length_counts_bytes(device):
    """Readers of flat buffers go by it."""
    x = gpuarray.ones(5, np.float64)
    assert struct.unpack("5d", x) == (1.0,) * 5
    assert hashlib.sha256(x).digest() == hashlib.sha256(np.ones(5)).digest()
    file = io.BytesIO()
    assert file.write(x) == 40
    assert bytes(x) == np.ones(5).tobytes()
    assert np.frombuffer(x, np.int64).shape == (5,)


def test_files_and_sockets(device, tmp_path):
    host = np.arange(5.0)
    x = gpuarray.to_device(host)
    path = tmp_path / "elements"
    with path.open("wb") as file:
        assert file.write(x) == 40
    assert path.read_bytes() == host.tobytes()
    one, other = socket.socketpair()
    with one, other:
        assert one.send(x) == 40
        received = gpuarray.zeros_pinned(5)
        assert other.recv_into(received, 40) == 40
    assert_same(received, host)
    with path.open("rb") as file:
        again = gpuarray.zeros_pinned(5)
        assert file.readinto(again) == 40
    assert_same(again + 0, host)
    struct.pack_into("2d", again, 8, 7.0, 8.0)
    assert again.tolist() == [0, 7, 8, 3, 4]


@pytest.mark.cuda
@needs_late_work
@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_pending_work_is_waited_for(cuda, kind):
    x = getattr(gpuarray, f"empty_{kind}")(SHAPE, np.float32)
    with gpuarray.Stream():
        x[...] = zeros_later() + 1
    assert np.asarray(x).all()


def test_array_method(device):
    x = gpuarray.to_device(np.arange(6.0).reshape(2, 3))
    for kind in ("device", "pinned"):
        y = x if kind == "device" else gpuarray.zeros_like_pinned(x)
        y[...] = x
        for view in (y, y[:, ::2], y[1, 2], y.T):
            assert_same(view.__array__(), view.get())
            assert_same(view.__array__(np.float32), view.get().astype(np.float32))
            with pytest.raises(ValueError, match="copy=False"):
                view.__array__(np.float32, copy=False)
        assert not np.shares_memory(y.__array__(copy=True), y.__array__())
        shared = y.memory_kind != "device"
        if shared:
            assert y.__array__(copy=False).ctypes.data == y.__array__().ctypes.data == y.ptr
        else:
            with pytest.raises(ValueError, match="copy=False"):
                y.__array__(copy=False)


def test_bfloat16_of_the_host_is_shared(device):
    x = gpuarray.zeros_pinned((2, 3), "bfloat16")
    a = np.asarray(x.T)
    assert a.dtype == BFLOAT16
    a[2, 1] = 5
    assert x[1, 2].item() == 5


def test_cpu_arrays_are_shared_with_numpy():
    x = gpuarray.zeros((2, 3), device="cpu")
    a = np.asarray(x)
    assert a.__array_interface__["data"][0] == x.ptr
    a[0, 1] = 5
    assert x[0, 1].item() == 5
    x[1] = 7
    assert a[1].tolist() == [7, 7, 7]
    strided = np.asarray(x[:, ::2])
    strided[...] = -1
    assert x.tolist() == [[-1, 5, -1], [-1, 7, -1]]


class Described:
    """Memory of a GPUArray as NumPy's interface describes it, which is read once."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


@pytest.mark.parametrize("mode", ["off", "auto", "always"])
@pytest.mark.parametrize("count", [10, 300_000])
def test_memory_that_numpys_interface_describes_is_lent_for_good(mode, count):
    with gpuarray.fusion(mode):
        x = gpuarray.zeros(count, device="cpu")
        described = np.asarray(Described(x))
        x += 1
        assert described[0] == described[-1] == 1
        y, element = x + 1, x[0]
        described[...] = 9
        assert (y[0].item(), element.item(), x[-1].item()) == (2, 1, 9)


@pytest.mark.cuda
@pytest.mark.parametrize("kind", ["pinned", "managed"])
def test_values_stay_beside_memory_that_numpys_interface_describes(cuda, kind):
    x = getattr(gpuarray, f"empty_{kind}")(1000, "float64")
    x[...] = 3
    gpuarray.synchronize()
    described = np.asarray(Described(x))
    element = x[0]
    gpuarray.synchronize()  # the host writes without an order
    described[0] = 5
    assert (element.item(), x[0].item()) == (3, 5)


def test_cpu_memory_lives_as_long_as_its_buffers():
    x = gpuarray.full(100000, 3.0, device="cpu")
    alive = weakref.ref(x)
    a, view = np.asarray(x), memoryview(x)
    del x
    gc.collect()
    assert alive() is not None
    gpuarray.full(100000, 9.0, device="cpu")
    assert a[0] == a[-1] == view[0] == 3.0
    del a, view
    gc.collect()
    assert alive() is None


def test_read_only_cpu_arrays():
    x = gpuarray.zeros(3, device="cpu")
    x.flags.writeable = False
    assert memoryview(x).readonly
    a = np.asarray(x)
    assert not a.flags.writeable
    with pytest.raises((BufferError, TypeError), match=r"read-only|read-write"):
        io.BytesIO(b"1" * 24).readinto(x)


def test_writing_through_a_buffer():
    x = gpuarray.zeros(3, np.uint8, device="cpu")
    assert io.BytesIO(b"abc").readinto(x) == 3
    assert x.tolist() == [97, 98, 99]


def test_contiguity_requests(device):
    x = gpuarray.zeros((4, 4), device="cpu")[:, ::2]
    with pytest.raises(BufferError, match="contiguous"):
        hashlib.sha256(x)
    assert bytes(gpuarray.zeros((2, 0))) == b""


def test_bfloat16_has_no_format(device):
    with pytest.raises((BufferError, TypeError), match="bfloat16"):
        memoryview(gpuarray.zeros(2, "bfloat16"))
    assert_same(np.asarray(gpuarray.ones(2, "bfloat16")), np.ones(2, BFLOAT16))


def test_asarray_arguments(device):
    x = gpuarray.to_device(np.arange(3))
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    copied = np.array(x, copy=True)
    copied[0] = 9
    assert x[0].item() == 0
    if zero_copy(device):
        assert np.asarray(x, copy=False).__array_interface__["data"][0] == x.ptr


def test_functions_of_numpy_that_take_buffers(device):
    x = gpuarray.ones((2, 2))
    host = np.zeros((2, 2))
    host[...] = x
    assert host.tolist() == [[1, 1], [1, 1]]
    np.testing.assert_array_equal(np.asarray(x), host)


@pytest.mark.cuda
def test_cuda_arrays_give_a_snapshot(cuda):
    x = gpuarray.zeros(3)
    a = np.asarray(x)
    x[...] = 1
    assert a.tolist() == [0, 0, 0]
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(b"1" * 24).readinto(x)
    view = ctypes.create_string_buffer(1024)  # a Py_buffer, with room
    with pytest.raises(BufferError, match=r"get\(\)"):
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), view, 1)  # PyBUF_WRITABLE


@pytest.mark.cuda
def test_guard_over_cuda_arrays(cuda, caplog):
    x = gpuarray.zeros((2, 3))
    with gpuarray.transfer_guard("disallow"):
        for call in (memoryview, np.asarray, bytes):
            with pytest.raises(BufferError, match="transfer_guard"):
                call(x)
        assert x.get().shape == gpuarray.asnumpy(x).shape == (2, 3)
    with gpuarray.transfer_guard("log"), caplog.at_level(logging.WARNING, "gpuarray"):
        memoryview(x)
    assert "(2, 3)" in caplog.text
    assert memoryview(x).nbytes == 48


def test_guard_leaves_cpu_arrays_alone():
    with gpuarray.transfer_guard("disallow"):
        assert np.asarray(gpuarray.zeros(2, device="cpu")).tolist() == [0, 0]


@pytest.mark.cuda
def test_guard_covers_pickle_and_array(cuda):
    x = gpuarray.zeros(3, "bfloat16")
    with gpuarray.transfer_guard("disallow"):
        for call in (np.asarray, x.__class__.__array__, pickle.dumps):
            with pytest.raises((BufferError, TypeError), match=r"transfer_guard|bfloat16"):
                call(x)


@pytest.mark.cuda
def test_guard_is_of_one_thread(cuda):
    x, seen = gpuarray.zeros(3), []
    with gpuarray.transfer_guard("disallow"):
        thread = threading.Thread(target=lambda: seen.append(bytes(x)))
        thread.start()
        thread.join()
    assert seen == [bytes(24)]


GUARDED = """
import threading
import warnings
warnings.simplefilter("ignore")
import gpuarray
x = gpuarray.zeros(3, device=DEVICE)
def look():
    try:
        print(bytes(x) == bytes(24))
    except (BufferError, ValueError) as error:
        print(type(error).__name__, error)
look()
thread = threading.Thread(target=look)
thread.start()
thread.join()
with gpuarray.transfer_guard("allow"):
    look()
look()
"""


@pytest.mark.cuda
def test_guard_from_the_environment(cuda):
    driver = {k: v for k, v in os.environ.items() if k.startswith("GPUARRAY_")}
    code = GUARDED.replace("DEVICE", repr(cuda))
    lines = run_python(code, **{**driver, "GPUARRAY_TRANSFER_GUARD": "disallow"}).splitlines()
    assert [line.split()[0] for line in lines] == [
        "BufferError",
        "BufferError",
        "True",
        "BufferError",
    ]
    assert "GPUARRAY_TRANSFER_GUARD" in lines[0]
    code = code.split("thread =")[0]
    lines = run_python(code, **{**driver, "GPUARRAY_TRANSFER_GUARD": "maybe"}).splitlines()
    assert lines[0].startswith("ValueError GPUARRAY_TRANSFER_GUARD: expected 'allow'")


def test_guard_from_the_environment_without_a_copy():
    code = GUARDED.replace("DEVICE", "'cpu'")
    assert run_python(code, GPUARRAY_TRANSFER_GUARD="disallow").split() == ["True"] * 4


def test_guard_is_restored():
    with (
        gpuarray.transfer_guard("disallow"),
        pytest.raises(KeyError),
        gpuarray.transfer_guard("log"),
    ):
        raise KeyError
    with pytest.raises(ValueError, match="never"), gpuarray.transfer_guard("never"):
        pass
