# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Functions that make arrays, against NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES, FLOATS, INTEGERS, kind
from _support.samples import ordinary

import gpuarray


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0), (2, 3, 4)], ids=str)
def test_filled_arrays(device, shape, order, dtype):
    for name in ("zeros", "ones"):
        got = getattr(gpuarray, name)(shape, dtype, order)
        expected = getattr(np, name)(shape, dtype, order)
        assert_same(got, expected)
        assert got.flags.f_contiguous == expected.flags.f_contiguous
    assert_same(gpuarray.full(shape, 1, dtype, order), np.full(shape, 1, dtype, order))
    empty = gpuarray.empty(shape, dtype, order)
    assert (empty.shape, empty.dtype) == (shape, dtype)


def test_default_dtype_is_float64(device):
    for name in ("empty", "zeros", "ones"):
        assert getattr(gpuarray, name)(3).dtype == np.float64
    assert gpuarray.eye(2).dtype == np.float64


@pytest.mark.parametrize(
    "value",
    [True, 3, 2**63, 1.5, 2j, np.float32(1.5), np.int8(3), np.array(7, np.uint16), np.nan],
    ids=repr,
)
def test_full_takes_the_dtype_of_its_value(device, value):
    assert_same(gpuarray.full((2, 3), value), np.full((2, 3), value))


def test_full_with_an_array(device):
    row = np.arange(3)
    assert_same(gpuarray.full((2, 3), gpuarray.to_device(row)), np.full((2, 3), row))


def test_full_refuses_values_that_do_not_fit(device):
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        gpuarray.full(2, 300, np.uint8)
    with pytest.raises(TypeError, match="full"):
        gpuarray.full(2, "text")


@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
@pytest.mark.parametrize("order", "CFAK")
def test_like_families(device, name, order):
    host = np.zeros((3, 4, 5), np.float32).transpose(2, 0, 1)
    x = gpuarray.to_device(np.zeros((3, 4, 5), np.float32)).transpose(2, 0, 1)
    args = (7,) if name == "full_like" else ()
    make, numpy_make = getattr(gpuarray, name), getattr(np, name)
    for kwargs in [{}, {"dtype": np.int16}, {"shape": (2, 2)}, {"shape": 3, "dtype": bool}]:
        got = make(x, *args, order=order, **kwargs)
        expected = numpy_make(host, *args, order=order, **kwargs)
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        assert got.strides == expected.strides
        if name != "empty_like":
            assert_same(got, expected)


def test_like_families_stay_on_the_device(device):
    x = gpuarray.zeros(3, device="cpu")
    for make in (gpuarray.empty_like, gpuarray.zeros_like, gpuarray.ones_like):
        assert make(x).device == "cpu"
        assert make(x, device=device).device == device
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.zeros_like(np.zeros(3))


ARANGES = [
    (5,),
    (0,),
    (-3,),
    (2, 9),
    (9, 2),
    (2, 9, 3),
    (2, 8, 3),
    (9, 2, -2),
    (0.0, 1.0, 0.1),
    (1, 2, 0.3),
    (5.5,),
    (-1.5, 1.5),
    (0, -1e-3, -1e-4),
    (2**40, 2**40 + 5),
    (1e300, 1.0000001e300, 1e292),
]


@pytest.mark.parametrize("args", ARANGES, ids=str)
def test_arange(device, args):
    assert_same(gpuarray.arange(*args), np.arange(*args))


@pytest.mark.parametrize("dtype", DTYPES[1:], ids=str)
def test_arange_of_every_dtype(device, dtype):
    for args in [(5,), (1, 20, 3), (0,)]:
        expected = np.arange(*args).astype(dtype)
        assert_same(gpuarray.arange(*args, dtype=dtype), expected)


def test_arange_errors(device):
    with pytest.raises(ZeroDivisionError):
        gpuarray.arange(0, 5, 0)
    with pytest.raises(TypeError):
        gpuarray.arange()
    with pytest.raises(TypeError):
        gpuarray.arange("abc")
    with pytest.raises((ValueError, OverflowError)):
        gpuarray.arange(0, np.nan)
    with pytest.raises((ValueError, OverflowError, MemoryError)):
        gpuarray.arange(1e30)


LINSPACES = [
    ((0, 1), {}),
    ((2, 3, 5), {}),
    ((0, 10, 4), {"endpoint": False}),
    ((5, -5, 7), {}),
    ((0, 1, 1), {}),
    ((0, 1, 1), {"endpoint": False}),
    ((0, 1, 0), {}),
    ((0, 9, 10), {"dtype": np.int32}),
    ((0, 1, 5), {"dtype": np.float32}),
    ((1 + 1j, 3 - 1j, 5), {}),
    ((3, 3, 4), {}),
    ((0, 1e-310, 5), {}),
]


@pytest.mark.parametrize(("args", "kwargs"), LINSPACES, ids=str)
def test_linspace(device, args, kwargs):
    got, expected = gpuarray.linspace(*args, **kwargs), np.linspace(*args, **kwargs)
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.get(), expected, rtol=4e-16, atol=4e-16)
    if expected.size > 1:
        assert got[0].item() == expected[0]
        assert got[-1].item() == expected[-1], "the end is exact"


def test_linspace_step(device):
    got, step = gpuarray.linspace(0, 10, 5, retstep=True)
    assert (got.tolist(), step) == ([0, 2.5, 5, 7.5, 10], 2.5)
    with pytest.raises(ValueError, match="-1"):
        gpuarray.linspace(0, 1, -1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("args", [(3,), (2, 4), (4, 2), (3, 3, 1), (3, 4, -2), (3, 3, 7), (0,)])
def test_eye(device, args, dtype):
    assert_same(gpuarray.eye(*args, dtype=dtype), np.eye(*args, dtype=dtype))


def test_eye_order(device):
    assert gpuarray.eye(3, order="F").flags.f_contiguous


@pytest.mark.parametrize("function", ["array", "asarray", "ascontiguousarray"])
def test_conversion_functions(device, function):
    convert = getattr(gpuarray, function)
    host = ordinary(np.float32, (3, 4))
    for source in (host, host.T, host[::2, ::-1], host.tolist()):
        expected = getattr(np, function)(source)
        assert_same(convert(source), expected)
    assert_same(convert(host, dtype=np.int16), host.astype(np.int16))
    assert_same(convert(5), np.asarray([5] if function == "ascontiguousarray" else 5))


def test_asarray_copies_only_where_it_must(device):
    x = gpuarray.ones((2, 3))
    assert gpuarray.asarray(x) is x
    assert gpuarray.asarray(x, dtype=np.float64) is x
    assert gpuarray.asarray(x, dtype=np.float32) is not x
    copied = gpuarray.asarray(x, copy=True)
    assert copied.ptr != x.ptr
    assert gpuarray.ascontiguousarray(x) is x
    assert gpuarray.ascontiguousarray(x.T).flags.c_contiguous
    assert gpuarray.ascontiguousarray(x.T).base is None


def test_asarray_refuses_a_needed_copy(device):
    with pytest.raises(ValueError, match="copy"):
        gpuarray.asarray(gpuarray.ones(2), dtype=np.int8, copy=False)


def test_array_copies(device):
    x = gpuarray.ones((2, 3))
    assert gpuarray.array(x).ptr != x.ptr
    assert gpuarray.array(x, copy=False) is x
    assert gpuarray.array(5, ndmin=3).shape == (1, 1, 1)
    assert gpuarray.array([x[0], x[1]]).tolist() == x.tolist()


def test_arrays_of_arrays_and_scalars(device):
    x = gpuarray.arange(3)
    assert gpuarray.asarray([x[0], x[1], 7]).tolist() == [0, 1, 7]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=str)
def test_ordinary_values_survive(device, dtype):
    host = ordinary(dtype, (5, 7))
    assert_same(gpuarray.asarray(host), host)
    assert kind(gpuarray.asarray(host).dtype) in "iuf"


def test_device_argument(device):
    for x in (
        gpuarray.zeros(2, device="cpu"),
        gpuarray.full(2, 1, device="cpu"),
        gpuarray.arange(3, device="cpu"),
        gpuarray.linspace(0, 1, 3, device="cpu"),
        gpuarray.eye(2, device="cpu"),
        gpuarray.asarray([1, 2], device="cpu"),
        gpuarray.to_device([1, 2], device="cpu"),
    ):
        assert x.device == "cpu"
    assert gpuarray.zeros(2).device == device


def test_bfloat16_by_name(device):
    assert gpuarray.zeros(2, "bfloat16").dtype == BFLOAT16
    assert gpuarray.arange(3, dtype="bfloat16").astype(np.float32).tolist() == [0, 1, 2]


def test_only_finite_numbers(device):
    assert gpuarray.asarray_chkfinite([1, 2], "float32").dtype == np.float32
    assert gpuarray.asarray_chkfinite(gpuarray.ones(0)).shape == (0,)
    for value in (np.nan, -np.inf, complex(0, np.nan)):
        with pytest.raises(
            ValueError, match="asarray_chkfinite: the array holds NaN or infinities"
        ):
            gpuarray.asarray_chkfinite([1, value])


def test_requirements(device):
    x = gpuarray.ones((3, 4))
    for asked in (None, "A", ["C", "W", "O", "E"], "C_CONTIGUOUS", "aligned"):
        assert gpuarray.require(x, requirements=asked) is x
    assert gpuarray.require(x, np.float32, "F").flags.f_contiguous
    assert gpuarray.require(x[:, 1:], None, ["contiguous"]).flags.c_contiguous
    assert gpuarray.require(x[1:], None, ["O"]).flags.owndata
    fixed = gpuarray.ones(3)
    fixed.flags.writeable = False
    assert gpuarray.require(fixed, None, "A") is fixed
    assert gpuarray.require(fixed, None, "W").flags.writeable
    assert gpuarray.require([1, 2], device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="both orders, C and F"):
        gpuarray.require(x, None, ["C", "F"])
    with pytest.raises(ValueError, match="require: requirements are C, F, A, W, O and E, got 'X'"):
        gpuarray.require(x, None, "X")


def test_arange_of_unsigned_steps_down(device):
    expected = np.arange(10, 0, -3, dtype=np.uint8)
    assert_same(gpuarray.arange(10, 0, -3, dtype=np.uint8), expected)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gpuarray.arange(0, 1e30), ValueError, "arange.*1e\\+30"),
        (lambda: gpuarray.arange(np.inf), ValueError, "arange.*inf"),
        (lambda: gpuarray.arange(5, dtype=bool), TypeError, "bool"),
        (lambda: gpuarray.arange(3j), TypeError, "complex"),
        (lambda: gpuarray.linspace(0, 1, 10**19), ValueError, "linspace"),
        (lambda: gpuarray.eye(-1), ValueError, "eye.*-1"),
        (lambda: gpuarray.array([1, 2], copy=False), ValueError, "copy"),
        (lambda: gpuarray.zeros_like(["1"]), TypeError, "zeros_like"),
    ],
)
def test_creation_errors_name_the_function(device, call, error, message):
    with pytest.raises(error, match=message):
        call()
