# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What fused functions take: default values, keywords, any number of arrays, other objects."""

import inspect
import sys

import numpy as np
import pytest
from _support.fused import array, is_fused, same

import gpuarray


def test_default_values(device):
    def scaled(a, factor=2, offset=0.5):
        return a * factor + offset

    fused = gpuarray.fuse(scaled)
    for dtype in ("float32", "int8", "complex64"):
        a = array(dtype)
        same(fused(a), scaled(a))
        same(fused(a, 3), scaled(a, 3))
        same(fused(a, offset=a), scaled(a, offset=a))
        same(fused(offset=1, a=a), scaled(a, offset=1))
    assert is_fused(fused)


def test_keyword_only_arguments(device):
    def blended(a, b, *, weight, bias=1):
        return a * weight + b * (1.0 - weight) + bias

    fused = gpuarray.fuse(blended)
    a, b = array("float32"), array("float32", seed=1)
    same(fused(a, b, weight=0.25), blended(a, b, weight=0.25))
    same(fused(a, bias=b, weight=a, b=b), blended(a, b, weight=a, bias=b))
    assert is_fused(fused)
    with pytest.raises(TypeError, match="missing the keyword argument 'weight'"):
        fused(a, b)
    with pytest.raises(TypeError, match="expected 2 arguments, got 3"):
        fused(a, b, 0.5)


def test_any_number_of_arrays(device):
    def total(first, *arrays, power=1.0):
        for one in arrays:
            first = first + one**power
        return first

    fused = gpuarray.fuse(total)
    arrays = [array("float32", seed=k) for k in range(5)]
    for count in (1, 3, 5, 2):
        same(fused(*arrays[:count]), total(*arrays[:count]))
        same(fused(*arrays[:count], power=2.0), total(*arrays[:count], power=2.0))
    same(fused(*arrays[:2], 3, arrays[4]), total(*arrays[:2], 3, arrays[4]))
    assert is_fused(fused)
    with pytest.raises(TypeError, match="expected at least 1 arguments, got 0"):
        fused()
    with pytest.raises(TypeError, match="at most 32 arguments"):
        fused(*[arrays[0]] * 33)
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        fused(arrays[0], out=arrays[1])


def test_arrays_alone(device):
    fused = gpuarray.fuse(lambda *arrays: sum(arrays))
    a = array("int16")
    same(fused(a, a, a), 0 + a + a + a)
    reduced = gpuarray.fuse(lambda *arrays: sum(arrays).sum(axis=0))
    same(reduced(a, a), (a + a).sum(axis=0))


def test_mistakes_in_calls(device):
    fused = gpuarray.fuse(lambda a, b=2: a + b)
    a = array("float32")
    for arguments, named, message in [
        ((), {}, "expected 1 to 2 arguments, got 0"),
        ((a, a, a), {}, "expected 1 to 2 arguments, got 3"),
        ((a,), {"a": a}, "multiple values for argument 'a'"),
        ((a,), {"c": a}, "unexpected keyword argument 'c'"),
        ((a, np.ones(3)), {}, r"numpy.ndarray.*to_device"),
        ((a, [1]), {}, r"list.*to_device"),
    ]:
        with pytest.raises(TypeError, match=message):
            fused(*arguments, **named)


def test_objects_that_choose(device):
    """None, a str, a dtype or a function is a constant: other ones make kernels of their own."""

    def layer(x, bias=None, kind="linear", dtype=np.float32, activation=gpuarray.tanh):
        if bias is not None:
            x = x + bias
        x = activation(x) if kind == "smooth" else x
        return x.astype(dtype)

    fused = gpuarray.fuse(layer)
    x, bias = array("float32"), array("float32", (5,), seed=1)
    for _ in range(2):
        for arguments in [
            (x,),
            (x, bias),
            (x, 2, "smooth"),
            (x, None, "smooth", "float64"),
            (x, None, "smooth", np.dtype("int16"), gpuarray.exp),
        ]:
            same(fused(*arguments), layer(*arguments))
    assert is_fused(fused)


def test_constants_without_end_make_no_kernels_without_end(device, monkeypatch):
    fused = gpuarray.fuse(lambda a, text: a + len(text))
    monkeypatch.setattr(sys.modules[type(fused).__module__], "MOST_KEYS", 3)
    a = array("float32")
    made = set()
    for length in (1, 2, 3, 4, 5, 1, 5):
        same(fused(a, "x" * length), a + length)
        made.add(fused._newest)
    assert len(made) == 3


class Pair:
    def __init__(self, low, high):
        self.low, self.high = low, high


def test_what_is_read_of_an_object_is_an_argument(device):
    fused = gpuarray.fuse(lambda pair, x: (x - pair.low) / (pair.high - pair.low))
    x = array("float32")
    pair = Pair(0.5, array("float32", (5,), seed=1))
    for low, high in [(0.5, pair.high), (1.5, pair.high + 1), (pair.high, 9), (x, pair.high)]:
        pair.low, pair.high = low, high
        expected = (x - low) / (high - low)
        same(fused(pair, x), expected)
        same(fused(Pair(low, high), x=x), expected)
    assert is_fused(fused)


def test_attributes_of_a_function():
    def double(a, *, times=2):
        """Twice the array."""
        return a * times

    fused = gpuarray.fuse(double)
    assert fused.__wrapped__ is double
    assert (fused.__name__, fused.__doc__) == ("double", "Twice the array.")
    assert fused.__qualname__ == double.__qualname__
    assert fused.__module__ == __name__
    assert inspect.signature(fused) == inspect.signature(double)
    twice = gpuarray.fuse(fused)
    same(twice(gpuarray.ones(3)), gpuarray.full(3, 2.0))


def kind(x, c):
    for place, type_ in enumerate(
        (bool, int, np.int16, np.float32, float, complex, gpuarray.GPUArray, np.ndarray)
    ):
        if isinstance(c, type_):
            return x + place
    return x - 1


@pytest.mark.parametrize(
    "c",
    [True, 3, 2.5, 1j, np.int16(2), np.float32(2), np.float64(2), np.complex64(2), "array"],
    ids=repr,
)
def test_isinstance_takes_the_branch_of_the_value(device, c):
    x = gpuarray.zeros(3)
    c = gpuarray.ones(3) if isinstance(c, str) else c
    np.testing.assert_array_equal(gpuarray.fuse(kind)(x, c).get(), kind(x, c).get())


def test_isinstance_of_a_number(device):
    made = gpuarray.vectorize(lambda x: x + 1 if isinstance(x, float) else x + 2)
    np.testing.assert_array_equal(made(gpuarray.zeros(2)).get(), [1, 1])
    np.testing.assert_array_equal(made(gpuarray.zeros(2, "int32")).get(), [2, 2])
