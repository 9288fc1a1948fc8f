# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Vectors as Arrow's arrays, and NumPy's description of an array as Pillow reads it."""

import ctypes
import gc

import numpy as np
import pytest

import gpuarray

DTYPES = {
    "bool": "b",
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}


class Schema(ctypes.Structure):
    pass


class Elements(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Elements))
Schema._fields_ = [
    *((name, ctypes.c_char_p) for name in ("format", "name", "metadata")),
    *((name, ctypes.c_int64) for name in ("flags", "n_children")),
    *((name, ctypes.c_void_p) for name in ("children", "dictionary")),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Elements._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
    *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    *((name, ctypes.c_void_p) for name in ("children", "dictionary")),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]


def opened(capsule, name, structure):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return structure.from_address(pointer(capsule, name))


def elements_of(capsules, dtype):
    """Read the elements as a consumer does: moved out, copied, released."""
    schema = opened(capsules[0], b"arrow_schema", Schema)
    array = opened(capsules[1], b"arrow_array", Elements)
    assert schema.format.decode() == DTYPES[dtype]
    assert (array.null_count, array.offset, array.n_buffers, array.buffers[0]) == (0, 0, 2, None)
    stored = (array.length + 7) // 8 if dtype == "bool" else array.length * np.dtype(dtype).itemsize
    raw = np.frombuffer(ctypes.string_at(array.buffers[1], stored), np.uint8)
    array.release(array)
    schema.release(schema)
    assert not array.release and not schema.release
    if dtype == "bool":
        return np.unpackbits(raw, count=array.length, bitorder="little").astype(bool)
    return raw.view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, 3, -2])
@pytest.mark.parametrize("size", [0, 1, 8, 21])
def test_vectors_are_arrays_of_arrow(device, dtype, step, size):
    host = (np.arange(size) % 3).astype(dtype)
    a = gpuarray.to_device(host)[::step]
    capsules = a.__arrow_c_array__()
    del a
    gc.collect()
    assert np.array_equal(elements_of(capsules, dtype), host[::step])


def test_arrow_sees_pending_operations_and_leaves_nothing(device):
    gc.collect()
    before = gpuarray.memory_info().used
    a = gpuarray.arange(100.0)
    b = a * 2 + 1
    assert np.array_equal(elements_of(b.__arrow_c_array__(), "float64"), np.arange(100.0) * 2 + 1)
    unread = b.__arrow_c_array__(requested_schema=None)
    del a, b, unread
    gc.collect()
    assert gpuarray.memory_info().used == before


def requested(arrow_format):
    """Return a capsule of a schema, as a consumer makes one, and what it needs to live."""
    release = RELEASE_SCHEMA(lambda schema: None)
    schema = Schema(format=arrow_format.encode(), name=b"", release=release)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(schema), b"arrow_schema", None), (schema, release)


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_come_in_the_type_that_is_asked_for(device, source, dtype):
    host = (np.arange(21) % 3).astype(source)
    capsule, kept = requested(DTYPES[dtype])
    capsules = gpuarray.to_device(host).__arrow_c_array__(capsule)
    assert np.array_equal(elements_of(capsules, dtype), host.astype(dtype))
    assert kept[0].format.decode() == DTYPES[dtype]


@pytest.mark.parametrize(
    "values, source, dtype, fits",
    [
        ([300], "int64", "int8", False),
        ([-1], "int32", "uint64", False),
        ([2**63], "uint64", "int64", False),
        ([2**63 - 1], "uint64", "int64", True),
        ([1.5], "float64", "int8", False),
        ([3.0, -4.0], "float64", "int8", True),
        ([np.nan], "float32", "int64", False),
        ([2.0**63], "float64", "int64", False),
        ([2**53 + 1], "int64", "float64", False),
        ([2**24, -(2**24)], "int32", "float32", True),
        ([2**24 + 1], "int32", "float32", False),
        ([1e6, 0.1], "float64", "float16", True),
        ([2, 0], "int16", "bool", True),
    ],
)
def test_values_that_a_type_does_not_have_are_refused(device, values, source, dtype, fits):
    """Arrow refuses to convert the same values."""
    host, (capsule, _kept) = np.array(values, source), requested(DTYPES[dtype])
    a = gpuarray.to_device(host)
    if not fits:
        with pytest.raises(ValueError, match=rf"a\.astype\('{dtype}'\)"):
            a.__arrow_c_array__(capsule)
        return
    with np.errstate(over="ignore"):
        expected = host.astype(dtype)
    assert np.array_equal(
        elements_of(a.__arrow_c_array__(requested_schema=capsule), dtype), expected
    )


def test_types_that_are_not_numbers_are_refused(device):
    capsule, _kept = requested("tss:")
    with pytest.raises(TypeError, match="leave the type out"):
        gpuarray.arange(3).__arrow_c_array__(capsule)
    with pytest.raises(TypeError, match="capsule named arrow_schema"):
        gpuarray.arange(3).__arrow_c_array__("int8")


def test_pyarrow_takes_vectors(device):
    pyarrow = pytest.importorskip("pyarrow")
    flags = gpuarray.arange(10) % 3 == 0
    assert pyarrow.array(flags).to_pylist() == flags.tolist()
    for value_type in (pyarrow.int8(), pyarrow.float32(), pyarrow.bool_()):
        made = pyarrow.array(gpuarray.arange(5), type=value_type)
        assert made.type == value_type
        assert made.to_pylist() == [type(made[0].as_py())(k) for k in range(5)]


@pytest.mark.parametrize(
    "shape, dtype, error, way_out",
    [
        ((2, 2), "float32", ValueError, "a.reshape(-1)"),
        ((), "float32", ValueError, "a.reshape(-1)"),
        (3, "complex64", TypeError, "float64"),
        (3, "bfloat16", TypeError, "float32"),
    ],
)
def test_what_arrow_has_not_is_refused(device, shape, dtype, error, way_out):
    with pytest.raises(error) as caught:
        gpuarray.ones(shape, dtype).__arrow_c_array__()
    assert way_out in str(caught.value)


def test_the_array_interface_describes_memory_of_the_host(device):
    a = gpuarray.arange(12, dtype="int16").reshape(3, 4)[:, ::2]
    if a.memory_kind == "device":
        with pytest.raises(AttributeError, match=r"a\.get\(\)"):
            a.__array_interface__  # noqa: B018
        assert not hasattr(a, "__array_interface__")
        return
    assert not hasattr(a.astype("bfloat16"), "__array_interface__")

    class Described:
        __array_interface__ = a.__array_interface__

    view = np.asarray(Described())
    assert np.array_equal(view, a.get()) and view.ctypes.data == np.asarray(a).ctypes.data
