# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Buffers: what is read from them, and every request to an array's own, beside NumPy."""

import array
import ctypes

import numpy as np
from fuzzing.choices import Choices
from fuzzing.outcomes import check_both, check_same, outcome

import gpuarray

FORMATS = "bBhHiIlLqQfd?cnNP"
DTYPES = ["uint8", "float64", "<i4", ">i2", "complex64", "bool", "V3", "f4,i2", "O", "", "S2", "i7"]
NUMBERS = [-1, 0, 1, 2, 3, 7, 8, 2**31, 2**63 - 1, 2**63, -(2**63), -2]


class Pair(ctypes.Structure):
    _fields_ = (("first", ctypes.c_int16), ("second", ctypes.c_double))


def exporter(choices):
    """Return an object with a buffer of some kind."""
    content = bytearray(choices.byte() for _ in range(choices.number(0, 32)))
    kinds = [
        lambda: content,
        lambda: bytes(content),
        lambda: array.array(choices.choice("bhilqfd"), range(choices.number(0, 5))),
        lambda: (ctypes.c_int32 * 3 * 2)(),
        lambda: (Pair * 2)(),
        lambda: ctypes.c_double(1.5),
        lambda: np.zeros((2, 3), "f4,i2"),
        lambda: np.asfortranarray(np.arange(12.0).reshape(3, 4))[::-1, ::2],
        lambda: np.zeros((3, 0, 2), ">i4"),
        lambda: memoryview(content)[:: choices.choice([1, 2, -1])],
        lambda: memoryview(content).toreadonly(),
    ]
    made = choices.choice(kinds)()
    if isinstance(made, bytearray) and choices.flag():
        made, _ = outcome(memoryview(made).cast, choices.choice(FORMATS))
    return made if made is not None else content


def check_read(choices):
    given, dtype = exporter(choices), choices.choice(DTYPES)
    count, offset = choices.choice(NUMBERS), choices.choice(NUMBERS)
    expected = outcome(np.frombuffer, given, dtype, count, offset)
    got = outcome(gpuarray.frombuffer, given, dtype, count, offset)
    if got[1] is None:
        value = expected[0]
        assert value is not None, (given, dtype, count, offset)
        check_same(got[0], value.astype(value.dtype.newbyteorder("=")), (given, dtype))
    elif expected[1] is None:
        assert expected[0].dtype.kind in "OSUV", (given, dtype, count, offset, got[1])


def check_made(choices):
    given = exporter(choices)
    expected, refused = outcome(np.asarray, given)
    got, error = outcome(gpuarray.asarray, given)
    if error is None and refused is None:
        check_same(got, expected.astype(expected.dtype.newbyteorder("=")), given)


def request(made, flags):
    """Return what the exporter answers, or BufferError."""
    view = (ctypes.c_byte * 80)()  # a Py_buffer
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    try:
        get(ctypes.py_object(made), ctypes.byref(view), flags)
    except (BufferError, ValueError):
        return BufferError
    fields = ctypes.cast(view, ctypes.POINTER(ctypes.c_ssize_t))
    answer = fields[2], fields[3]
    release(ctypes.byref(view))
    return answer


def check_requests(choices):
    host = np.arange(24, dtype=choices.choice(["uint8", "float64", "int16"])).reshape(4, 6)
    views = [lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[:0]]
    view = choices.choice(views)
    made, expected = view(gpuarray.to_device(host, device="cpu")), view(host)
    flags = choices.number(0, 0x1FF)
    if flags == 0x100:
        return  # PyBUF_READ, which Python 3.13 refuses for every exporter
    assert request(made, flags) == request(expected, flags), (expected.strides, flags)
    before = gpuarray.asnumpy(made)
    check_both(outcome(np.asarray, memoryview(made)), outcome(np.asarray, expected), flags)
    check_same(made, before, flags)


def run(data):
    choices = Choices(data)
    choices.choice([check_read, check_made, check_requests])(choices)
