# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""out= of functions and reductions: where results go, and what is refused."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.samples import ordinary
from _support.tables import OPERATIONS, expected_or_error

import gpuarray


def operands_of(op, dtype):
    arrays = [np.abs(ordinary(dtype, (4, 5), seed)) % 4 + 1 for seed in range(op.arity)]
    arrays = [array.astype(dtype) for array in arrays]
    if op.name == "where":
        arrays[0] = arrays[0] > 2
    return arrays


def loop_dtype(op):
    for dtype in (np.float64, np.int32):
        if expected_or_error(op.numpy, *operands_of(op, dtype)) is not TypeError:
            return dtype
    return np.complex128


@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_every_function_writes_into_out(device, op):
    hosts = operands_of(op, loop_dtype(op))
    arrays = [gpuarray.to_device(host) for host in hosts]
    expected = op.gpu(*arrays).get()
    for layout in layouts.ALL:
        out = layout(np.zeros_like(expected))
        assert op.gpu(*arrays, out=out) is out
        assert_same(out, expected, what=layout.__name__)


def test_out_may_be_positional_or_a_tuple(device):
    x, out = gpuarray.ones(3), gpuarray.empty(3)
    assert gpuarray.add(x, x, out) is out
    assert gpuarray.exp(x, out) is out
    assert gpuarray.add(x, x, out=(out,)) is out
    assert gpuarray.add(x, x, out=None) is not out
    assert out.tolist() == [2.0, 2.0, 2.0]


def test_operands_broadcast_to_out(device):
    out = gpuarray.empty((2, 3))
    gpuarray.add(gpuarray.ones(3), 1, out=out)
    assert_same(out, np.full((2, 3), 2.0))
    gpuarray.add(gpuarray.ones((2, 1)), gpuarray.ones(3), out=out)
    assert_same(out, np.full((2, 3), 2.0))


@pytest.mark.parametrize("function", ["add", "subtract", "multiply"])
def test_out_overlaps_the_operands(device, function):
    host = np.arange(40, dtype=np.int64).reshape(5, 8)
    x = gpuarray.to_device(host)
    cases = Collector()
    for target, a, b in [
        (np.s_[1:], np.s_[:-1], np.s_[1:]),
        (np.s_[:-1], np.s_[1:], np.s_[:-1]),
        (np.s_[::-1], np.s_[:], np.s_[:]),
        (np.s_[:4, :4], np.s_[1:, 4:], np.s_[:4, 2:6]),
        (np.s_[0], np.s_[1], np.s_[0, ::-1]),
    ]:
        cases.check(f"{target} {a} {b}", check_overlap, function, host, x, target, a, b)
    cases.finish()


def check_overlap(function, host, x, target, a, b):
    expected = host.copy()
    getattr(np, function)(expected[a], expected[b], out=expected[target])
    got = x.copy()
    getattr(gpuarray, function)(got[a], got[b], out=got[target])
    assert_same(got, expected)


def test_out_is_the_transpose_of_an_operand(device):
    host = ordinary(np.float32, (33, 33))
    x = gpuarray.to_device(host)
    gpuarray.multiply(x, 2, out=x.T)
    assert_same(x, (host * 2).T)


def test_results_are_cast_to_out_within_a_kind(device):
    x = gpuarray.to_device(np.array([1.5, 2.5]))
    out = gpuarray.empty(2, np.float16)
    gpuarray.add(x, x, out=out)
    assert_same(out, np.array([3.0, 5.0], np.float16))
    wide = gpuarray.empty(2, np.complex128)
    gpuarray.add(x, x, out=wide)
    assert_same(wide, np.array([3.0, 5.0], np.complex128))


def test_where_and_clip_into_out(device):
    x = gpuarray.arange(5.0)
    out = gpuarray.empty(5)
    assert gpuarray.where(x > 2, x, -1.0, out=out) is out
    assert out.tolist() == [-1, -1, -1, 3, 4]
    assert gpuarray.clip(x, 1, 3, out=out) is out
    assert out.tolist() == [1, 1, 2, 3, 3]


@pytest.mark.parametrize("function", ["add", "maximum", "arctan2"])
def test_refused_outs(device, function):
    call = getattr(gpuarray, function)
    x = gpuarray.ones((2, 3))
    with pytest.raises(TypeError, match=r"float64.*int64.*same_kind"):
        call(x, x, out=gpuarray.empty((2, 3), np.int64))
    with pytest.raises(ValueError, match=r"\(3,\).*\(2, 3\)|\(2, 3\).*\(3,\)"):
        call(x, x, out=gpuarray.empty(3))
    with pytest.raises(ValueError, match=r"\(2, 1\).*\(2, 3\)|\(2, 3\).*\(2, 1\)"):
        call(x, x, out=gpuarray.empty((2, 1)))
    with pytest.raises(TypeError, match="out"):
        call(x, x, out=np.empty((2, 3)))
    read_only = gpuarray.empty((2, 3))
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        call(x, x, out=read_only)


@pytest.mark.cuda
def test_out_on_another_device(cuda):
    x = gpuarray.ones(3)
    with pytest.raises(gpuarray.DeviceError, match=r"cuda:0.*cpu|cpu.*cuda:0"):
        gpuarray.add(x, x, out=gpuarray.empty(3, device="cpu"))


@pytest.mark.parametrize("function", ["sum", "prod", "max", "min"])
def test_reductions_write_into_out(device, function):
    host = ordinary(np.float64, (3, 4))
    x = gpuarray.to_device(host)
    out = gpuarray.empty(4)
    assert getattr(gpuarray, function)(x, axis=0, out=out) is out
    np.testing.assert_allclose(out.get(), getattr(np, function)(host, axis=0))
    strided = gpuarray.zeros(8)[::2]
    assert getattr(x, function)(0, out=strided) is strided
    np.testing.assert_allclose(strided.get(), getattr(np, function)(host, axis=0))
    with pytest.raises(ValueError, match="shape"):
        getattr(gpuarray, function)(x, axis=0, out=gpuarray.empty(3))


def test_reductions_write_over_their_operand(device):
    host = np.arange(12).reshape(3, 4)
    for name, axis, where in [("sum", 0, np.s_[1]), ("max", 1, np.s_[:, 2]), ("prod", 0, np.s_[0])]:
        x = gpuarray.to_device(host)
        getattr(x, name)(axis=axis, out=x[where])
        expected = host.copy()
        expected[where] = getattr(host, name)(axis=axis)
        assert_same(x, expected, what=name)


def test_any_and_argmax_write_into_out(device):
    x = gpuarray.to_device(np.array([[0, 3, 1], [0, 0, 0]]))
    flags, places = gpuarray.empty(2, bool), gpuarray.empty(2, np.int64)
    assert gpuarray.any(x, axis=1, out=flags).tolist() == [True, False]
    assert gpuarray.argmax(x, axis=1, out=places).tolist() == [1, 0]


def test_dtype_argument_chooses_the_loop(device):
    x = gpuarray.to_device(np.array([1, 2, 3], np.int32))
    got = gpuarray.add(x, x, dtype=np.float32)
    assert_same(got, np.array([2, 4, 6], np.float32))
    assert gpuarray.exp(x, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError):
        gpuarray.add(x, x, dtype="datetime64[s]")


DTYPES = ["bool", "int8", "int32", "int64", "uint64", "float32", "float64", "complex64"]
MOVES = {
    "take": lambda xp, a, out: xp.take(a, [0, 1], 0, out),
    "take wrapped": lambda xp, a, out: xp.take(a, [2, 1], 0, out, mode="wrap"),
    "compress": lambda xp, a, out: xp.compress([True, True], a, 0, out),
    "argmax": lambda xp, a, out: xp.argmax(a, 0, out),
    "argmin": lambda xp, a, out: xp.argmin(a, 1, out),
    "nanargmax": lambda xp, a, out: xp.nanargmax(a, 0, out),
    "nanargmin": lambda xp, a, out: xp.nanargmin(a, 0, out),
    "dot": lambda xp, a, out: xp.dot(a, a, out),
    "dot of vectors": lambda xp, a, out: xp.dot(a[0], a[0], out),
    "dot of a vector": lambda xp, a, out: xp.dot(a, a[0], out),
    "dot of a scalar": lambda xp, a, out: xp.dot(a, a[1, 1], out),
    "dot of many": lambda xp, a, out: xp.dot(a.reshape(1, 2, 2), a, out),
    "round": lambda xp, a, out: xp.round(a, 0, out),
    "trace": lambda xp, a, out: xp.trace(a, out=out),
}


@pytest.mark.parametrize("function", MOVES.values(), ids=MOVES)
def test_out_that_numpy_refuses_is_refused(device, function):
    for dtype in ("int64", "float32", "float64"):
        host = np.arange(4).reshape(2, 2).astype(dtype)
        a = gpuarray.to_device(host)
        shape = function(np, host, None).shape
        for target in DTYPES:
            for extents in (shape, (*shape, 1), (1, *shape), (3, *shape)):
                check_out(function, host, a, np.zeros(extents, target))


def check_out(function, host, a, expected):
    out = gpuarray.to_device(expected)
    try:
        function(np, host, expected)
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError)):
            function(gpuarray, a, out)
        assert not out.get().any()
    else:
        made = function(np, host, None)
        try:
            function(gpuarray, a, out)
        except (TypeError, ValueError):  # where NumPy would cut elements, or repeat the result
            assert (out.dtype, out.shape) != (made.dtype, made.shape)
        else:
            assert_same(out, expected)


def test_dot_into_what_is_not_contiguous(device):
    a = gpuarray.ones((2, 2))
    columns = gpuarray.zeros((2, 2), order="F")
    for out in (columns, gpuarray.zeros((2, 4))[:, ::2]):
        for b in (a, 2.0):
            with pytest.raises(ValueError, match="C-contiguous"):
                gpuarray.dot(a, b, out=out)
    with pytest.raises(TypeError, match="out"):
        gpuarray.dot(a, a, out=np.zeros((2, 2)))
