# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What NumPy's methods and functions take: orders in lower case and None, copy=, flags, swaps."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.dtypes import DTYPES

import gpuarray

HOST = np.arange(12, dtype="int32").reshape(3, 4)

# (what is called, orders that it takes)
ORDERS = {
    "array": (lambda xp, a, order: xp.array(a, order=order), "CFAK"),
    "asarray": (lambda xp, a, order: xp.asarray(a, order=order), "CFAK"),
    "empty": (lambda xp, a, order: xp.empty((3, 4), order=order), "CF"),
    "zeros": (lambda xp, a, order: xp.zeros((3, 4), order=order), "CF"),
    "ones": (lambda xp, a, order: xp.ones((3, 4), order=order), "CF"),
    "full": (lambda xp, a, order: xp.full((3, 4), 1, order=order), "CF"),
    "eye": (lambda xp, a, order: xp.eye(3, 4, order=order), "CF"),
    "empty_like": (lambda xp, a, order: xp.empty_like(a, order=order), "CFAK"),
    "zeros_like": (lambda xp, a, order: xp.zeros_like(a, order=order), "CFAK"),
    "ones_like": (lambda xp, a, order: xp.ones_like(a, order=order), "CFAK"),
    "full_like": (lambda xp, a, order: xp.full_like(a, 1, order=order), "CFAK"),
    "copy": (lambda xp, a, order: xp.copy(a, order=order), "CFAK"),
    "a.copy": (lambda xp, a, order: a.copy(order), "CFAK"),
    "a.astype": (lambda xp, a, order: a.astype("float64", order), "CFAK"),
    "reshape": (lambda xp, a, order: xp.reshape(a, (2, 6), order=order), "CFA"),
    "a.reshape": (lambda xp, a, order: a.reshape(2, 6, order=order), "CFA"),
    "ravel": (lambda xp, a, order: xp.ravel(a, order=order), "CFAK"),
    "a.ravel": (lambda xp, a, order: a.ravel(order), "CFAK"),
    "a.flatten": (lambda xp, a, order: a.flatten(order), "CFAK"),
    "einsum": (lambda xp, a, order: xp.einsum("ij,ij->ij", a, a, order=order), "CF"),
    "add": (lambda xp, a, order: np.add(a, a, order=order), "CFAK"),
    "unravel_index": (
        lambda xp, a, order: xp.unravel_index(a, (3, 4), order=order),
        "CF",
    ),
    "ravel_multi_index": (
        lambda xp, a, order: xp.ravel_multi_index((a // 4, a % 4), (3, 4), order=order),
        "CF",
    ),
}


def described(made):
    """Elements, unless they are whatever was in memory, and layout."""
    if isinstance(made, tuple):
        return [one.tolist() for one in made]
    values = None if made.dtype == "float64" and made.size and made.ndim == 2 else made.tolist()
    return values, made.shape, made.flags.c_contiguous, made.flags.f_contiguous


@pytest.mark.parametrize("name", ORDERS)
def test_orders(device, name):
    call, orders = ORDERS[name]
    for host, a in ((HOST, gpuarray.to_device(HOST)), (HOST.T.copy().T, layouts.transposed(HOST))):
        for order in [*orders, *orders.lower(), None]:
            got, expected = call(gpuarray, a, order), call(np, host, order)
            if name.endswith(("index", "ravel", "flatten", "reshape", "copy", "astype")):
                assert described(got) == described(expected), order
            else:
                flags = got.flags.c_contiguous, got.flags.f_contiguous
                assert flags == (expected.flags.c_contiguous, expected.flags.f_contiguous), order
        for order in ("Q", "CC", "", 1):
            with pytest.raises((ValueError, TypeError), match="order"):
                call(gpuarray, a, order)


def test_orders_of_bytes_and_copies_to_the_host(device):
    a = gpuarray.to_device(HOST)
    for order in ("c", "f", "a", None):
        assert a.tobytes(order) == HOST.tobytes(order)
        got = a.get(order=order)
        assert got.flags.f_contiguous == (order == "f")
        np.testing.assert_array_equal(got, HOST)


@pytest.mark.parametrize("layout", ["contiguous", "strided", "transposed"])
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_reshape_with_copy(device, layout, order):
    a = getattr(layouts, layout)(HOST)
    host = HOST.T.copy().T if layout == "transposed" else HOST
    shared = a.reshape(4, 3, order=order).base is not None
    copied = a.reshape(4, 3, order=order, copy=True)
    assert copied.base is None
    for function in (a.reshape, lambda *shape, **keywords: gpuarray.reshape(a, shape, **keywords)):
        if shared:
            assert function(4, 3, order=order, copy=False).ptr == a.ptr
        else:
            with pytest.raises(ValueError, match="copy=False"):
                function(4, 3, order=order, copy=False)
    assert_same(copied, host.reshape(4, 3, order=order))
    copied[...] = 100
    assert a.tolist() == HOST.tolist()
    with pytest.raises(TypeError, match=r"copy.*str"):
        a.reshape(4, 3, copy="yes")


# NumPy's own `farray` does not ask whether an array is writeable and contiguous.
FLAGS = ["c_contiguous", "contiguous", "f_contiguous", "fortran", "owndata", "writeable"]
FLAGS += ["aligned", "behaved", "carray", "fnc", "forc", "writebackifcopy"]
SHORT = ["C", "F", "W", "B", "O", "A", "X", "CA", "FNC", "FORC", "CONTIGUOUS", "FORTRAN"]


@pytest.mark.parametrize("shape", [(), (0,), (4,), (3, 4), (1, 4), (2, 3, 4)])
def test_flags(device, shape):
    host = np.zeros(shape)
    a = gpuarray.zeros(shape)
    for step in (1, -1, 2):
        key = (..., *(slice(None, None, step),) * len(shape)) if step != 1 else ...
        for view, other in ((host[key], a[key]), (host[key].T, a[key].T)):
            for writeable in (True, False):
                view.flags.writeable = other.flags.writeable = writeable
                for name in FLAGS:
                    assert getattr(other.flags, name) == getattr(view.flags, name), name
                    assert other.flags[name.upper()] == view.flags[name.upper()], name
                    assert other.flags.farray == (other.flags.behaved and other.flags.fnc)
                    assert other.flags["FA"] == other.flags.farray
                for name in SHORT:
                    assert other.flags[name] == view.flags[name], name
    for wrong in ("fnc", "Q", ""):
        with pytest.raises(KeyError):
            a.flags[wrong]


def test_setflags(device):
    a = gpuarray.zeros(3)
    a.setflags(write=False)
    assert not a.flags.writeable
    a.setflags(1)
    assert a.flags.writeable
    a.flags["W"] = False
    assert not a.flags.writeable
    for wrong in ({"align": False}, {"uic": True}):
        with pytest.raises(ValueError, match="setflags"):
            a.setflags(**wrong)


@pytest.mark.cuda
def test_get_of_a_stream_by_position(cuda):
    a, stream = gpuarray.to_device(HOST), gpuarray.Stream()
    for got in (a.get(stream), a.get(stream.ptr), a.get(stream, "F")):
        np.testing.assert_array_equal(got, HOST)


def test_get_by_position(device):
    a, out = gpuarray.to_device(HOST), np.zeros_like(HOST)
    for got in (a.get(), a.get(None), a.get(None, "F"), a.get(gpuarray.Stream(device))):
        np.testing.assert_array_equal(got, HOST)
    assert a.get(None, "F").flags.f_contiguous
    for function in (
        lambda: a.get(out),
        lambda: a.get(out=out),
        lambda: a.get(None, "C", out),
        lambda: a.get(None, "C", out, True),
        lambda: a.get(out, "C"),
    ):
        out[...] = 0
        assert function() is out
        np.testing.assert_array_equal(out, HOST)
    with pytest.raises(TypeError, match=r"out.*list"):
        a.get([1])


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bfloat16"], ids=str)
def test_byteswap(device, dtype):
    host = np.arange(1, 13).astype(dtype).reshape(3, 4)
    for make in (layouts.contiguous, layouts.strided, layouts.transposed, layouts.reversed_axes):
        a = make(host)
        assert a.byteswap().tobytes() == host.byteswap().tobytes()
        assert a.tolist() == host.tolist()
        assert a.byteswap(True) is a
        assert a.tobytes() == host.byteswap().tobytes()
        assert a.byteswap(inplace=True).tolist() == host.tolist()
    for shape in ((), (0,)):
        empty = np.ones(shape, dtype)
        assert gpuarray.to_device(empty).byteswap().tobytes() == empty.byteswap().tobytes()


@pytest.mark.parametrize("value", [1, 2.5, True, 1j, np.int8(3), None, "a", b"a", object(), 99])
def test_contains(device, value):
    for host in (HOST, HOST.astype("float32"), np.array(1), np.zeros(0)):
        assert (value in gpuarray.to_device(host)) == (value in host)


def test_contains_no_host_arrays(device):
    a = gpuarray.to_device(HOST)
    assert gpuarray.arange(4) in a
    assert gpuarray.arange(4) + 100 not in a
    for value in ([1], (1,), np.arange(4), range(4)):
        with pytest.raises(TypeError, match="to_device"):
            value in a  # noqa: B015


def test_fromiter(device):
    for dtype in ("int64", "float32", "bool", "complex128", "uint8"):
        for count in (-1, 3):
            got = gpuarray.fromiter((k % 3 for k in range(5)), dtype, count)
            assert_same(got, np.fromiter((k % 3 for k in range(5)), dtype, count))
            assert str(got.device) == device
    assert gpuarray.fromiter([1, 2], "bfloat16").tolist() == [1, 2]
    assert gpuarray.fromiter([], float).shape == (0,)
    with pytest.raises(ValueError, match="iterator too short"):
        gpuarray.fromiter([1, 2], int, 3)
    with pytest.raises(TypeError, match="datetime64"):
        gpuarray.fromiter([1, 2], "M8[s]")


TRIMMED = {
    "ends": [0, 0, 1, 0, 2, 0],
    "none": [1, 2, 3],
    "all": [0, 0],
    "empty": [],
    "rows": [[0, 0, 2, 3, 0], [0, 1, 0, 3, 0], [0, 0, 0, 0, 0]],
    "zero rows": [[0, 0], [0, 0]],
    "nan": [0.0, np.nan, 0.0],
}


@pytest.mark.parametrize("name", TRIMMED)
def test_trim_zeros(device, name):
    host = np.array(TRIMMED[name])
    a = gpuarray.to_device(host)
    for trim in ("fb", "f", "b", "BF"):
        for axis in (None, 0, -1, (), tuple(range(host.ndim))):
            got = gpuarray.trim_zeros(a, trim, axis)
            assert_same(got, np.trim_zeros(host, trim, axis))
    for trim in ("", "x", "fbf"):
        with pytest.raises(ValueError, match="trim"):
            gpuarray.trim_zeros(a, trim)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.trim_zeros(a, axis=5)
