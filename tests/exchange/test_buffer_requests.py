# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyObject_GetBuffer with every combination of flags, beside NumPy's ndarray."""

import ctypes
import itertools
import sys

import numpy as np
import pytest
from _support.dtypes import BFLOAT16, DTYPES

import gpuarray

WRITABLE, FORMAT, ND, STRIDES = 0x1, 0x4, 0x8, 0x18
C, F, ANY, INDIRECT = 0x38, 0x58, 0x98, 0x118
LAYOUTS = [0, ND, STRIDES, C, F, ANY, INDIRECT, C | F]
REQUESTS = [
    layout | writable | text
    for layout, writable, text in itertools.product(LAYOUTS, (0, WRITABLE), (0, FORMAT))
]


class Buffer(ctypes.Structure):
    """Py_buffer."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


def request(exporter, flags):
    """What the exporter answers, a dict, or BufferError."""
    view = Buffer()
    held = [exporter]

    def references():
        return sys.getrefcount(held[0])  # of a variable, Python 3.14 counts it at some uses alone

    before = references()
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    try:
        get(ctypes.py_object(exporter), ctypes.byref(view), flags)
    except (BufferError, ValueError):  # NumPy has both
        assert not view.obj
        assert references() == before
        return BufferError
    assert view.obj == id(exporter)
    assert references() == before + 1, "an export keeps its exporter"
    answer = {
        "len": view.len,
        "itemsize": view.itemsize,
        "readonly": bool(view.readonly),
        "format": view.format,
        "suboffsets": bool(view.suboffsets),
        "shape": view.shape[: view.ndim] if view.shape else None,
        # Those of arrays without elements mean nothing.
        "strides": view.strides[: view.ndim if view.len else 0] if view.strides else None,
    }
    if view.shape:
        answer["ndim"] = view.ndim
    if not view.strides or view.ndim < 2:
        step = view.strides[0] if view.strides and view.ndim else view.itemsize
        if step == view.itemsize and view.len:
            answer["bytes"] = ctypes.string_at(view.buf, view.len)
    release(ctypes.byref(view))
    assert references() == before
    return answer


VIEWS = {
    "C": lambda a: a,
    "F": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "negative": lambda a: a[::-1],
    "one axis": lambda a: a[1],
    "no axes": lambda a: a[1, 2, ...],
    "empty": lambda a: a[:0],
}


@pytest.mark.parametrize("flags", REQUESTS, ids=hex)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", ["host", "pinned", "managed"])
def test_memory_of_the_host_answers_as_numpys(device, kind, view, flags):
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    if kind == "host":
        x = gpuarray.to_device(host, device="cpu")
    else:
        x = getattr(gpuarray, f"empty_{kind}")(host.shape, host.dtype)
        x.set(host)
    for writeable in (True, False):
        a, b = VIEWS[view](host), VIEWS[view](x)
        if not isinstance(a, np.ndarray):  # NumPy's scalars
            a = np.array(a)
        a.flags.writeable = b.flags.writeable = writeable
        assert request(b, flags) == request(a, flags)


@pytest.mark.cuda
@pytest.mark.parametrize("flags", REQUESTS, ids=hex)
@pytest.mark.parametrize("view", VIEWS)
def test_a_snapshot_has_the_order_that_is_asked_for(cuda, view, flags):
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    a, x = np.asarray(VIEWS[view](host)), VIEWS[view](gpuarray.to_device(host))
    # As an array of NumPy that was just copied in an order that fits.
    fits = "F" if flags & F == F and flags & C != C else "C"
    if flags & STRIDES == STRIDES and flags & C != C and a.flags.f_contiguous:
        fits = "K"
    snapshot = a.copy(fits)
    snapshot.flags.writeable = False
    assert request(x, flags) == request(snapshot, flags)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != BFLOAT16], ids=str)
def test_formats_are_numpys(device, dtype):
    host = np.zeros(3, dtype)
    x = gpuarray.to_device(host)
    answer = request(x, FORMAT | STRIDES)
    assert answer["format"] == request(host, FORMAT | STRIDES)["format"]


def test_many_exports(device):
    x = gpuarray.ones(3)
    before = sys.getrefcount(x)
    views = [memoryview(x) for _ in range(5)]
    assert sys.getrefcount(x) == before + 5
    for view in views:
        view.release()
    assert sys.getrefcount(x) == before
