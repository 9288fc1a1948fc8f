# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""DLPack's C structures, and a producer whose every field a test chooses."""

import ctypes
from ctypes import c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_void_p as pointer

import numpy as np

import gpuarray
from _support.dtypes import BFLOAT16

CPU, CUDA, PINNED, MANAGED = 1, 2, 3, 13
READ_ONLY, IS_COPIED = 1, 2
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", pointer),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", ctypes.POINTER(c_int64)),
        ("strides", ctypes.POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, pointer)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("manager", pointer), ("deleter", Deleter))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager", pointer),
        ("deleter", Deleter),
        ("flags", c_uint64),
        ("tensor", Tensor),
    )


SetError = ctypes.CFUNCTYPE(None, pointer, c_char_p, c_char_p)
Allocate = ctypes.PYFUNCTYPE(
    c_int, ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.POINTER(Versioned)), pointer, SetError
)
FromObject = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, ctypes.POINTER(pointer))
ToObject = ctypes.PYFUNCTYPE(c_int, pointer, ctypes.POINTER(ctypes.py_object))
Lend = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, ctypes.POINTER(Tensor))
WorkStream = ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, ctypes.POINTER(pointer))


class ExchangeApi(ctypes.Structure):
    _fields_ = (
        ("major", c_uint32),
        ("minor", c_uint32),
        ("previous", pointer),
        ("allocate", Allocate),
        ("from_object", FromObject),
        ("to_object", ToObject),
        ("lend", Lend),
        ("work_stream", WorkStream),
    )


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = (pointer, c_char_p, pointer)
_python.PyCapsule_GetPointer.restype = pointer
_python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, c_char_p)
_names: list[bytes] = []  # capsules hold the address of their name
_lent: list[tuple] = []  # what consumers read and call after the producer is gone


def capsule(address: int, name: str) -> object:
    """Return a capsule without a destructor."""
    _names.append(name.encode())
    return _python.PyCapsule_New(address, _names[-1], None)


def capsule_pointer(made: object, name: str) -> int:
    return _python.PyCapsule_GetPointer(made, name.encode())


def type_of(dtype) -> tuple[int, int]:
    """Return DLPack's code and bits of a dtype."""
    dtype = np.dtype(dtype)
    return (4, 16) if dtype == BFLOAT16 else (CODES[dtype.kind], 8 * dtype.itemsize)


class Producer:
    """Lends memory at `address`, for once, and counts the calls of its deleter.

    The owner lives until then, also without the producer.
    `strides` are in elements, None a null pointer; `device` is DLPack's pair.
    """

    def __init__(
        self,
        address,
        shape,
        dtype,
        strides=None,
        *,
        device=(CPU, 0),
        byte_offset=0,
        flags=0,
        version=(1, 3),
        versioned=True,
        deleter=True,
        lanes=1,
        owner=None,
    ):
        self.owner, self.device, self.calls = owner, device, []
        self._keeps, self._deletions = [owner], []
        ndim = len(shape)
        self._shape = (c_int64 * ndim)(*shape)
        self._strides = None if strides is None else (c_int64 * ndim)(*strides)
        self._deleter = self._make_deleter() if deleter else Deleter()
        tensor = Tensor(
            address,
            *device,
            ndim,
            *type_of(dtype),
            lanes,
            ctypes.cast(self._shape, ctypes.POINTER(c_int64)),
            ctypes.cast(self._strides, ctypes.POINTER(c_int64)),
            byte_offset,
        )
        self.versioned = versioned
        if versioned:
            self.managed = Versioned(*version, None, self._deleter, flags, tensor)
        else:
            self.managed = Managed(tensor, None, self._deleter)

        _lent.append((self.managed, self._shape, self._strides, self._deleter))

    def _make_deleter(self):
        keeps, deletions = self._keeps, self._deletions

        def delete(_address):
            keeps.clear()
            deletions.append(None)

        return Deleter(delete)

    @property
    def deleted(self):
        return len(self._deletions)

    @property
    def tensor(self):
        return self.managed.tensor

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        self.calls.append(kwargs)
        name = "dltensor_versioned" if self.versioned else "dltensor"
        self.capsule = capsule(ctypes.addressof(self.managed), name)
        return self.capsule


def producer_of(array, **changes):
    """Return a Producer over a NumPy array, whose strides are whole elements."""
    strides = [stride // array.itemsize for stride in array.strides]
    return Producer(array.ctypes.data, array.shape, array.dtype, strides, owner=array, **changes)


def on_device(host, device, **changes):
    """Return a Producer over the elements of `host` in memory of a device, with its strides."""
    if device == "cpu":
        return producer_of(host, **changes)
    begin, end = np.lib.array_utils.byte_bounds(host)
    raw = np.frombuffer(ctypes.string_at(begin, end - begin), np.uint8)
    memory = gpuarray.to_device(raw)
    address = memory.ptr + host.ctypes.data - begin if host.size else 0
    strides = [stride // host.itemsize for stride in host.strides]
    gpuarray.synchronize()
    index = int(device.removeprefix("cuda:"))
    return Producer(
        address, host.shape, host.dtype, strides, device=(CUDA, index), owner=memory, **changes
    )


def table_of(type_) -> ExchangeApi:
    """Return the exchange table that a type offers."""
    made = type_.__dlpack_c_exchange_api__
    return ExchangeApi.from_address(capsule_pointer(made, "dlpack_exchange_api"))


def with_table(stream=0, **changes):
    """Return a subclass of Producer with an exchange table of its own."""

    class Tabled(Producer):
        table_calls = 0
        stream_calls: tuple = ()

        def __dlpack__(self, **kwargs):
            raise AssertionError("the table was to be used")

    def from_object(made, out):
        Tabled.table_calls += 1
        out[0] = ctypes.addressof(made.managed)
        return 0

    def work_stream(kind, index, out):
        Tabled.stream_calls += ((kind, index),)
        out[0] = stream
        return 0

    fields = {
        "major": 1,
        "minor": 3,
        "from_object": FromObject(from_object),
        "work_stream": WorkStream(work_stream),
        **changes,
    }
    Tabled.table = ExchangeApi(**fields)
    Tabled.__dlpack_c_exchange_api__ = capsule(
        ctypes.addressof(Tabled.table), "dlpack_exchange_api"
    )
    return Tabled
