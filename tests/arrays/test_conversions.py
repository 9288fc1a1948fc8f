# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Arrays as Python numbers: bool, int, float, complex, index, item, len, format."""

import math
import operator

import numpy as np
import pytest
from _support.compare import Collector
from _support.dtypes import BFLOAT16, DTYPES
from _support.samples import special

import gpuarray

CONVERSIONS = [bool, int, float, complex, operator.index, len, iter]


def outcome(function, argument):
    """The result, or the type of the exception."""
    try:
        result = function(argument)
    except Exception as error:
        return type(error)
    return repr(result) if not hasattr(result, "__next__") else "iterator"


def check_conversion(function, host, x):
    assert outcome(function, x) == outcome(function, host)


@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("function", CONVERSIONS, ids=lambda f: f.__name__)
def test_conversions_are_numpys(device, function):
    cases = Collector()
    for dtype in DTYPES:
        if dtype == BFLOAT16:
            continue
        values = special(dtype)
        samples = [values[i : i + 1].reshape(()) for i in range(values.size)]
        samples += [np.ones(shape, dtype) for shape in [(1,), (1, 1), (2,), (0,), (3, 2)]]
        for host in samples:
            label = f"{function.__name__}({host!r})"
            cases.check(label, check_conversion, function, host, gpuarray.to_device(host))
    cases.finish()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bool(gpuarray.ones(2)), "truth value of an array with more than one element"),
        (lambda: bool(gpuarray.ones(0)), "truth value of an empty array"),
        (lambda: int(gpuarray.ones(2)), "only 0-dimensional arrays|size-1|size 1"),
        (lambda: operator.index(gpuarray.ones(())), "only integer scalar arrays"),
        (lambda: len(gpuarray.ones(())), "unsized"),
        (lambda: iter(gpuarray.ones(())), "iteration over a 0-d array"),
    ],
)
def test_messages_are_numpys(device, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_results_are_python_numbers(device):
    assert type(bool(gpuarray.ones(1))) is bool
    assert type(int(gpuarray.full((), 3.7))) is int
    assert type(float(gpuarray.ones((), np.int8))) is float
    assert type(complex(gpuarray.ones(()))) is complex
    assert type(operator.index(gpuarray.ones((), np.uint8))) is int
    assert int(gpuarray.full((), 2**64 - 1, np.uint64)) == 2**64 - 1
    assert float(gpuarray.full((), 0.5, "bfloat16")) == 0.5


def test_arrays_as_indices_of_sequences(device):
    assert "abc"[gpuarray.to_device(np.array(1))] == "b"
    assert list(range(gpuarray.full((), 3, np.int16))) == [0, 1, 2]
    assert math.isclose(math.sqrt(gpuarray.full((), 2.0)), math.sqrt(2))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_item(device, dtype):
    values = special(dtype)[:4].reshape(2, 2)
    x = gpuarray.to_device(values)
    for i in range(4):
        row, column = divmod(i, 2)
        expected = values[row, column].item()
        for got in (x.item(i), x.item(row, column), x.item((row, column)), x[row, column].item()):
            assert type(got) is type(expected)
            assert got == expected or got != got
    assert repr(x.item(-1)) == repr(values[1, 1].item())
    assert gpuarray.ones((1, 1), dtype).item() == 1


def test_item_errors(device):
    x = gpuarray.ones((2, 2))
    with pytest.raises(ValueError, match="size 1"):
        x.item()
    with pytest.raises(ValueError, match="size 1"):
        gpuarray.ones(0).item()
    with pytest.raises(IndexError, match="4 is out of bounds"):
        x.item(4)
    with pytest.raises(IndexError, match="out of bounds"):
        x.item(0, 2)
    with pytest.raises(ValueError, match="number of ind"):
        x.item(0, 0, 0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0), (0, 2), (2, 1, 2)], ids=str)
def test_tolist(device, shape, dtype):
    host = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    x = gpuarray.to_device(host)
    got, expected = x.tolist(), host.tolist()
    assert repr(got) == repr(expected)
    assert x.T.tolist() == host.T.tolist()


def test_len(device):
    assert len(gpuarray.zeros((3, 2))) == 3
    assert len(gpuarray.zeros((0, 2))) == 0


def test_format(device):
    x = gpuarray.full((), 3.14159)
    assert f"{x:.2f}" == "3.14"
    assert f"{x}" == str(x)
    y = gpuarray.zeros(3)
    assert f"{y}" == str(y)
    with pytest.raises(TypeError):
        format(y, ".2f")


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != BFLOAT16], ids=str)
def test_round(device, dtype):
    """As of NumPy's scalars: an int, or a number of the dtype for a number of digits."""
    host = np.array([2.5, 3.567, 15]).astype(dtype)
    for expected, got in zip(host, map(gpuarray.to_device, host), strict=True):
        for digits in ((), (None,), (0,), (1,), (2,), (-1,)):
            if dtype.kind not in "iuf":
                with pytest.raises(TypeError):
                    round(got, *digits)
                continue
            made, wanted = round(got, *digits), round(expected, *digits)
            if isinstance(wanted, np.generic):
                assert isinstance(made, gpuarray.GPUArray) and made.dtype == wanted.dtype
            else:
                assert type(made) is int
            np.testing.assert_array_equal(np.asarray(made), wanted)


def test_round_of_bfloat16(device):
    x = gpuarray.full((), 2.75, "bfloat16")
    assert round(x) == 3
    assert float(round(x, 0)) == 3 and round(x, 0).dtype == BFLOAT16


def test_round_is_for_one_number(device):
    x = gpuarray.ones(1)
    assert round(x.mean(), 2).tolist() == 1
    for call in (lambda: round(x), lambda: round(x, 1), lambda: round(x[0], 1.5)):
        with pytest.raises(TypeError):
            call()


def test_to_numpy(device):
    host = np.arange(6.0).reshape(2, 3)
    x = gpuarray.to_device(host)
    for got in (x.to_numpy(), x.T.to_numpy().T, x.to_numpy(copy=True)):
        assert isinstance(got, np.ndarray)
        np.testing.assert_array_equal(got, host)
        got[0, 0] = 9
    assert x[0, 0] == 0  # never shared
    assert x.to_numpy("int8").dtype == x.to_numpy(dtype=np.int8).dtype == np.int8
    assert gpuarray.ones(1, "bfloat16").to_numpy().dtype == BFLOAT16
    assert "to_numpy" in dir(x)


def test_truth_of_comparisons(device):
    x = gpuarray.arange(3)
    assert (x == x).all()
    assert not (x == 5).any()
    assert bool(gpuarray.full((), 1) > 0) is True
    assert bool(gpuarray.full((1, 1), 1) < 0) is False
