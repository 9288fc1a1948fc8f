# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""DLPack both ways with NumPy, which shares memory of the cpu device."""

import gc
import re
import weakref

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES
from _support.measure import nothing_leaks
from _support.samples import ordinary
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

KNOWN = [dtype for dtype in DTYPES if dtype != BFLOAT16]


def capsule_name(capsule):
    return re.search(r'capsule object "(\w+)"', repr(capsule)).group(1)


class Exporter:
    """Passes on the DLPack methods of an array and records the arguments."""

    def __init__(self, array):
        self.array = array
        self.calls = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **kwargs):
        self.calls.append(kwargs)
        return self.array.__dlpack__(**kwargs)


@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_numpy_takes_cpu_arrays_without_a_copy(dtype):
    x = gpuarray.ones((2, 3), dtype, device="cpu")
    a = np.from_dlpack(x)
    assert_same(a, np.ones((2, 3), dtype))
    assert a.__array_interface__["data"][0] == x.ptr
    x[0, 0] = 0
    assert a[0, 0] == 0


@given(data=st.data())
def test_numpy_takes_any_view(data):
    host = data.draw(arrays(dtype=np.dtype(np.float32)))
    a, x = data.draw(views((host, gpuarray.to_device(host, device="cpu"))))
    assert_same(np.from_dlpack(x), np.asarray(a))


@given(data=st.data())
def test_any_view_of_a_numpy_array_is_taken(data):
    host = data.draw(arrays(dtype=np.dtype(np.int16)))
    a, _ = data.draw(views((host, host)))
    a = np.asarray(a)
    if not a.flags.writeable:
        return
    x = gpuarray.from_dlpack(a)
    assert x.device == "cpu"
    assert_same(x, a)
    if a.size:
        assert x.ptr == a.__array_interface__["data"][0]
        x[...] = 3
        assert (a == 3).all()


@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_numpy_arrays_of_every_dtype_are_taken(dtype):
    host = ordinary(dtype, (4, 5))
    assert_same(gpuarray.from_dlpack(host), host)
    assert_same(gpuarray.from_dlpack(host.T), host.T)


def test_numpy_memory_is_kept_and_released():
    host = np.arange(5.0)
    alive = weakref.ref(host)
    x = gpuarray.from_dlpack(host)
    view = x[2:]
    del host, x
    gc.collect()
    assert alive() is not None
    assert view.tolist() == [2, 3, 4]
    del view
    gc.collect()
    assert alive() is None


def test_array_memory_is_kept_and_released():
    x = gpuarray.full(1000, 2.0, device="cpu")
    alive = weakref.ref(x)
    a = np.from_dlpack(x)
    del x
    gc.collect()
    assert a.sum() == 2000
    del a
    gc.collect()
    assert alive() is None


def test_read_only_memory_stays_so():
    host = np.arange(3)
    host.flags.writeable = False
    x = gpuarray.from_dlpack(host)
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x[...] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.flags.writeable = True
    y = gpuarray.zeros(3, device="cpu")
    y.flags.writeable = False
    assert not np.from_dlpack(y).flags.writeable


def test_copy_argument():
    host = np.arange(3)
    x = gpuarray.from_dlpack(host, copy=True)
    x[...] = 7
    assert host.tolist() == [0, 1, 2]
    assert gpuarray.from_dlpack(host, copy=False).ptr == host.__array_interface__["data"][0]
    y = gpuarray.zeros(3, device="cpu")
    a = np.from_dlpack(y, copy=True)
    a[...] = 7
    assert y.tolist() == [0, 0, 0]
    assert np.from_dlpack(y, copy=False).__array_interface__["data"][0] == y.ptr


def test_versions(device):
    x = gpuarray.zeros(3)
    assert capsule_name(x.__dlpack__()) == "dltensor"
    assert capsule_name(x.__dlpack__(max_version=(1, 0))) == "dltensor_versioned"
    assert capsule_name(x.__dlpack__(max_version=(1, 3))) == "dltensor_versioned"
    assert capsule_name(x.__dlpack__(max_version=(2, 0))) == "dltensor_versioned"
    assert capsule_name(x.__dlpack__(max_version=(0, 8))) == "dltensor"
    x.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()


def test_unused_capsules_release_the_array(device):
    x = gpuarray.zeros(1000)
    with nothing_leaks(device, x):
        for version in (None, (1, 0)):
            for _ in range(20):
                x.__dlpack__(max_version=version)


def test_capsules_are_used_once():
    x = gpuarray.zeros(3, device="cpu")

    class Once(Exporter):
        capsule = None

        def __dlpack__(self, **kwargs):
            self.capsule = self.capsule or super().__dlpack__(**kwargs)
            return self.capsule

    once = Once(x)
    first = gpuarray.from_dlpack(once)
    with pytest.raises(BufferError, match="must return an unused DLPack capsule"):
        gpuarray.from_dlpack(once)
    assert capsule_name(once.capsule).startswith("used_")
    assert first.ptr == x.ptr


def test_exchange_storm_leaks_nothing():
    x = gpuarray.zeros(1000, device="cpu")
    host = np.zeros(1000)
    with nothing_leaks("cpu", x, host):
        for _ in range(200):
            np.from_dlpack(x)
            gpuarray.from_dlpack(host)
            gpuarray.from_dlpack(np.from_dlpack(gpuarray.from_dlpack(x)))


def test_device_tuple(device):
    expected = (1, 0) if device == "cpu" else (2, 0)
    assert gpuarray.zeros(2).__dlpack_device__() == expected


def test_stream_argument():
    x = gpuarray.zeros(2, device="cpu")
    assert x.__dlpack__(stream=None)
    with pytest.raises((ValueError, BufferError), match="stream"):
        x.__dlpack__(stream=1)


def test_unknown_devices_are_refused(device):
    x = gpuarray.zeros(2)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(8, 0), max_version=(1, 0))
    with pytest.raises(TypeError):
        x.__dlpack__(dl_device="cpu", max_version=(1, 0))


def test_own_arrays_share_memory(device):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    y = gpuarray.from_dlpack(x.T)
    assert y.ptr == x.ptr
    assert y.device == device
    assert_same(y, x.get().T)


def test_old_producers_without_keywords():
    class Old:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.array.__dlpack__(stream=stream)

    host = np.arange(4.0)
    x = gpuarray.from_dlpack(Old(host))
    assert x.tolist() == [0, 1, 2, 3]


def test_consumer_asks_for_versions():
    exporter = Exporter(np.zeros(2))
    gpuarray.from_dlpack(exporter)
    (call,) = [call for call in exporter.calls if "max_version" in call][:1]
    assert call["max_version"][0] >= 1
    assert call.get("stream") is None


@pytest.mark.parametrize("bad", [5, "text", None, [1, 2], object()], ids=lambda v: type(v).__name__)
def test_other_objects_are_refused(bad):
    with pytest.raises((TypeError, AttributeError), match="__dlpack"):
        gpuarray.from_dlpack(bad)


def test_errors_of_the_producer_pass_through():
    class Broken(Exporter):
        def __dlpack__(self, **kwargs):
            raise RuntimeError("no memory today")

    with pytest.raises(RuntimeError, match="no memory today"):
        gpuarray.from_dlpack(Broken(np.zeros(2)))


def test_to_device_takes_dlpack(device):
    exporter = Exporter(np.arange(3.0))
    x = gpuarray.to_device(exporter)
    assert x.tolist() == [0, 1, 2]
    assert exporter.calls


def test_bfloat16_between_own_arrays(device):
    x = gpuarray.ones(3, "bfloat16")
    assert gpuarray.from_dlpack(x).dtype == BFLOAT16


@pytest.mark.cuda
def test_cuda_array_to_numpy_over_dlpack(cuda):
    x = gpuarray.to_device(np.arange(3.0))
    got = np.from_dlpack(x, device="cpu")
    assert got.tolist() == [0, 1, 2]
    with pytest.raises((BufferError, ValueError)):
        np.from_dlpack(x, device="cpu", copy=False)
