# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Attributes, flags and the type itself."""

import copy
import ctypes
import dis
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import DTYPES
from _support.strategies import arrays, views
from hypothesis import given
from hypothesis import strategies as st

import gpuarray


@given(data=st.data())
def test_attributes_are_numpys(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    for name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes"):
        assert getattr(x, name) == getattr(a, name), name
    if a.size > 1 and 1 not in a.shape:
        assert x.strides == a.strides
    assert x.flags.c_contiguous == a.flags.c_contiguous
    assert x.flags.f_contiguous == a.flags.f_contiguous
    assert x.flags.forc == a.flags.forc
    assert str(x.device) == device
    assert isinstance(x.device, gpuarray.Device)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_types_of_attributes(device, dtype):
    x = gpuarray.zeros((2, 3), dtype)
    assert isinstance(x.dtype, np.dtype)
    assert x.dtype == dtype
    assert x.itemsize == dtype.itemsize
    assert x.strides == (3 * dtype.itemsize, dtype.itemsize)
    assert all(type(v) is int for v in (*x.shape, *x.strides, x.ndim, x.size, x.nbytes, x.ptr))
    assert x.ptr == x.gpudata


def test_memory_is_aligned(device):
    for size in (1, 3, 100):
        assert gpuarray.zeros(size, np.uint8).ptr % 64 == 0


@pytest.mark.parametrize(
    "name", ["shape", "strides", "dtype", "ndim", "size", "nbytes", "T", "device", "base", "ptr"]
)
def test_attributes_are_read_only(device, name):
    x = gpuarray.zeros(3)
    with pytest.raises(AttributeError):
        setattr(x, name, getattr(x, name))
    with pytest.raises(AttributeError):
        delattr(x, name)


def test_flags(device):
    x = gpuarray.zeros((2, 3))
    assert x.flags.owndata
    assert x.flags.writeable
    assert x.flags.aligned
    assert x.flags["C_CONTIGUOUS"]
    assert not x.flags["F_CONTIGUOUS"]
    assert not x[1:].flags.owndata
    x.flags.writeable = False
    assert not x.flags["WRITEABLE"]
    x.flags["WRITEABLE"] = True
    assert x.flags.writeable
    for line in ("C_CONTIGUOUS : True", "F_CONTIGUOUS : False", "WRITEABLE : True"):
        assert line in repr(x.flags)
    with pytest.raises(KeyError, match="Unknown"):
        x.flags["NONSENSE"]
    with pytest.raises(AttributeError):
        x.flags.c_contiguous = False


def test_flags_keep_the_array(device):
    flags = gpuarray.zeros((2, 3)).flags
    gc.collect()
    assert flags.c_contiguous


def test_constructor(device):
    x = gpuarray.GPUArray((2, 3), np.int16, order="F")
    assert (x.shape, x.dtype, x.flags.f_contiguous) == ((2, 3), np.int16, True)
    assert gpuarray.GPUArray(3).dtype == np.float64
    assert str(gpuarray.GPUArray(3, device="cpu").device) == "cpu"


def test_no_subclasses(device):
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (gpuarray.GPUArray,), {})

    class Mixin:
        def __init_subclass__(cls, **_):
            pass

    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (Mixin, gpuarray.GPUArray), {})((3,))


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="Python specializes calls with object's lookup alone"
)
def test_method_calls_are_specialized():
    def call(a):
        a.reshape(3)

    a = gpuarray.ones(3, device="cpu")
    for _ in range(100):
        call(a)
    names = {instruction.opname for instruction in dis.get_instructions(call, adaptive=True)}
    assert names & {"LOAD_ATTR_METHOD_NO_DICT", "LOAD_ATTR_METHOD_LAZY_DICT"}


def test_immutable_type(device):
    with pytest.raises(TypeError, match="immutable"):
        gpuarray.GPUArray.anything = 1
    with pytest.raises(TypeError, match="immutable"):
        del gpuarray.GPUArray.shape
    with pytest.raises(AttributeError):
        gpuarray.zeros(2).anything = 1


def test_unhashable(device):
    with pytest.raises(TypeError, match="unhashable"):
        hash(gpuarray.zeros(2))
    with pytest.raises(TypeError, match="unhashable"):
        {gpuarray.zeros(()): 1}
    with pytest.raises(TypeError, match="unhashable"):
        hash(gpuarray.zeros(2)[0, ...])  # a view, which changes with the array


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_hashable(device, dtype):
    """Elements do not change. They are equal in sets and dicts as NumPy's scalars are."""
    host = np.array([0, 1, 0, 3], dtype)
    a = gpuarray.to_device(host)
    assert [hash(value) for value in a] == [hash(value.item()) for value in a]
    assert len({*a}) == len({*host.tolist()})
    names = {0: "zero", 1: "one"}
    assert [names[a[0]], names[a[1]], names.get(a[3], names.get(True))] == ["zero", "one", "one"]
    value = a[1]
    kept = {value}
    a[1] = 0
    assert value in kept
    assert 1 in kept
    assert 0 not in kept


def test_pandas_finds_the_elements(device):
    pandas = pytest.importorskip("pandas")
    x = gpuarray.to_device([1, 2, 3])
    assert pandas.Series([1, 5, 3]).isin(x).tolist() == [True, False, True]
    assert pandas.Index([1, 5]).isin(x).tolist() == [True, False]


def test_weak_references(device):
    x = gpuarray.zeros(2)
    called = []
    reference = weakref.ref(x, called.append)
    assert reference() is x
    view = x[1:]
    del x
    assert reference() is not None, "the view keeps its base"
    del view
    gc.collect()
    assert reference() is None
    assert called == [reference]


def test_weak_value_dictionary(device):
    cache = weakref.WeakValueDictionary(a=gpuarray.zeros(2))
    gc.collect()
    assert "a" not in cache


def test_names_of_the_type():
    assert gpuarray.GPUArray.__name__ == "GPUArray"
    assert gpuarray.GPUArray.__module__ == "gpuarray"
    assert gpuarray.GPUArray.__doc__


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickle(device, dtype):
    x = gpuarray.ones((2, 3), dtype)
    x[0, 1] = 0
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert_same(again, x.get())
        assert str(again.device) == device


def test_pickle_of_views(device):
    host = np.arange(24.0).reshape(4, 6)
    x = gpuarray.to_device(host)
    for view, expected in [(x.T, host.T), (x[::2, ::-1], host[::2, ::-1]), (x[1, 2], host[1, 2])]:
        assert_same(pickle.loads(pickle.dumps(view)), np.asarray(expected))
    assert_same(pickle.loads(pickle.dumps(x[:0])), host[:0])


def test_deep_copy(device):
    x = gpuarray.to_device(np.arange(6).reshape(2, 3))
    pair = [x, x]
    again = copy.deepcopy(pair)
    assert again[0] is again[1]
    again[0][...] = 0
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert again[0].device == x.device


def test_pickle_of_devices(device):
    x = gpuarray.zeros(1).device
    assert pickle.loads(pickle.dumps(x)) is x


def test_flags_have_numpys_short_names(device):
    flags = gpuarray.zeros((2, 3), order="F").flags
    assert (flags["C"], flags["F"], flags["W"]) == (False, True, True)


def test_flags_are_made_by_arrays_alone(device):
    kind = type(gpuarray.zeros(3).flags)
    for make in (kind, lambda: kind.__new__(kind), lambda: object.__new__(kind)):
        with pytest.raises(TypeError):
            make()


@given(data=st.data())
def test_ctypes_are_numpys(device, data):
    host = data.draw(arrays())
    a, x = data.draw(views((host, gpuarray.to_device(host))))
    a = np.asarray(a)
    assert list(x.ctypes.shape) == list(a.shape)
    assert list(x.ctypes.shape_as(ctypes.c_int)) == list(a.shape)
    assert list(x.ctypes.strides) == list(x.ctypes.strides_as(ctypes.c_longlong)) == list(x.strides)
    assert x.ctypes.data == x.ptr
    assert (x.ctypes._as_parameter_.value or 0) == x.ptr


def test_ctypes_pointer_keeps_the_memory():
    x = gpuarray.array([3.0, 4.0], device="cpu")
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    del x
    gc.collect()
    gpuarray.zeros(2, device="cpu")
    assert pointer[:2] == [3.0, 4.0]


def test_ctypes_passes_arrays_of_the_host_as_arguments():
    x = gpuarray.array([1.0, 2.0], device="cpu")
    y = gpuarray.zeros_like(x)
    copy_bytes = ctypes.CDLL(None).memcpy
    copy_bytes.restype = ctypes.c_void_p
    copy_bytes(y.ctypes, x.ctypes, ctypes.c_size_t(x.nbytes))
    assert y.tolist() == [1.0, 2.0]


def test_attributes_that_are_missing_within_a_stream(device):
    a = gpuarray.ones(3)
    with gpuarray.Stream():
        assert not hasattr(a, "no_such_attribute")
        with pytest.raises(AttributeError, match="no_such_attribute"):
            getattr(a, "no_such_" + "attribute")
        assert hasattr(a, "__cuda_array_interface__") == (device != "cpu")
