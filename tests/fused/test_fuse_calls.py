# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fused functions that call each other: one kernel, or the function itself."""

import inspect
import sys

import numpy as np
import pytest
from _support.fused import array, check, is_fused, same
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray


@gpuarray.fuse
def squared(a):
    return a * a


@gpuarray.fuse
def add_to(a, b, *, times=1):
    a += b * times


@gpuarray.fuse
def total(a):
    return squared(a).sum()


def compiled_by_themselves(function, *arguments):
    """Return how many of the fused functions compile a kernel of their own in a call."""
    fused = [squared, add_to, total]
    newest = [one._newest for one in fused]
    for one in fused:
        one._newest = None
    try:
        function(*arguments)
        return sum(bool(one.source) for one in fused)
    finally:
        for one, old in zip(fused, newest, strict=True):
            one._newest = old


def test_a_call_becomes_part_of_the_kernel(device):
    def distance(a, b):
        return gpuarray.sqrt(squared(a) + squared(b))

    a, b = array("float32"), array("int16", (5,), seed=1)
    fused = gpuarray.fuse(distance)
    assert compiled_by_themselves(fused, a, b) == 0
    same(fused(a, b), distance(a, b))
    assert fused.source.count("multiply_functor") == 2


def test_bits_are_those_of_the_calls(device):
    for dtype in ("float16", "float32", "int8", "complex64"):
        a = array(dtype)
        check(lambda a: squared(squared(a) + 1) - a * 3, a)
        check(lambda a: squared(a=a), a)
    check(lambda a: squared(a * 2 + squared(3) - squared(np.float32(0.5))), array("float32"))


PIECES = st.lists(
    st.sampled_from(
        [
            "x = squared(x) - y",
            "y = squared(y, by=n)",
            "x, y = swapped(y, x)",
            "add_to(y, x, times=n)",
            "x = joined(x, y, n)",
            "x = xp.where(x > y, x, squared(y))",
            "y = joined(y)",
        ]
    ),
    min_size=1,
    max_size=5,
)
FUNCTIONS = {
    "squared": lambda a, *, by=1: a * a * by,
    "swapped": lambda a, b: (b + 1, a),
    "joined": lambda *arrays: arrays[0] if len(arrays) == 1 else arrays[0] - arrays[1] * arrays[2],
    "add_to": add_to.__wrapped__,
}


@settings(max_examples=12)
@given(lines=PIECES, dtypes=st.tuples(*[st.sampled_from(["float32", "int16", "float64"])] * 2))
def test_any_calls_give_the_bits_of_the_functions(device, lines, dtypes):
    text = (
        "def f(a, b, n=2):\n  x, y = a + 0.5, b * 1.5\n  " + "\n  ".join(lines) + "\n  return x, y"
    )
    fused, plain = {"xp": gpuarray}, {"xp": gpuarray} | FUNCTIONS
    fused |= {name: gpuarray.fuse(function) for name, function in FUNCTIONS.items()}
    exec(text, fused)
    exec(text, plain)
    a, b = array(dtypes[0], (4, 3)), array(dtypes[1], (4, 3), seed=1)
    function = gpuarray.fuse(fused["f"])
    same(function(a, b), plain["f"](a, b))
    same(function(a, b, n=0.5), plain["f"](a, b, n=0.5))
    assert is_fused(function)


def test_arguments_that_a_call_changes(device):
    def step(x, v, dt):
        add_to(v, x, times=-dt)
        add_to(x, v, times=dt)
        return x - v

    x, v = array("float32"), array("float32", seed=1)
    y, w = x.copy(), v.copy()
    fused = gpuarray.fuse(step)
    for _ in range(2):
        same(fused(x, v, 0.25), step(y, w, 0.25))
    same((x, v), (y, w))
    assert is_fused(fused)


def test_a_call_that_reduces_at_the_end(device):
    fused = gpuarray.fuse(lambda a, b: total(a - b))
    a, b = array("float64"), array("float64", (5,), seed=1)
    np.testing.assert_allclose(fused(a, b).get(), ((a - b) * (a - b)).sum().get(), rtol=1e-14)
    assert "GpuarrayOperation" in fused.source


def test_a_reduction_that_is_used_runs_by_itself(device):
    fused = gpuarray.fuse(lambda a: a / total(a))
    a = array("float32")
    for _ in range(2):
        same(fused(a), a / total(a))
    assert not is_fused(fused)


def test_functions_of_numbers_are_called_too(device):
    @gpuarray.vectorize
    def bumped(x, by=1):
        x += by
        return x * 2

    a = array("float32")
    before = a.get()
    made = check(lambda a: bumped(a) + a, a)
    np.testing.assert_array_equal(a.get(), before)
    np.testing.assert_array_equal(made.get(), (before + 1) * 2 + before)
    same(gpuarray.vectorize(lambda x: squared(x) + 1)(a), a * a + 1)


def test_arrays_that_are_not_traced_are_left_to_the_call(device):
    a, table = array("float32"), array("float32", seed=1)
    outer = gpuarray.fuse(lambda a, b: a - b)
    fused = gpuarray.fuse(lambda a: outer(a, table))
    same(fused(a), a - table)
    same(gpuarray.fuse(lambda a: squared(a.copy(), stream=gpuarray.current_stream()))(a), a * a)


def test_what_a_call_cannot_trace_is_done_one_by_one(device):
    joined = gpuarray.fuse(lambda a: gpuarray.concatenate([a, a]))
    a = array("float32")
    same(gpuarray.fuse(lambda a: joined(a) + 1)(a), gpuarray.concatenate([a, a]) + 1)


def test_mistakes_in_calls_are_named(device):
    a = array("float32")
    chosen = gpuarray.fuse(lambda a: a if a > 0 else -a)
    with pytest.raises(gpuarray.FusionError, match=r"line \d+ of .*a condition on elements"):
        gpuarray.fuse(lambda a: chosen(a) + 1)(a)
    with pytest.raises(TypeError, match="expected 1 arguments, got 2"):
        gpuarray.fuse(lambda a: squared(a, a))(a)
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        gpuarray.fuse(lambda a: squared(a, c=a))(a)


def test_endless_recursion_is_an_error(device, monkeypatch):
    # Numba would be asked to compile what vectorize cannot trace, and raise an error of its own.
    monkeypatch.setitem(sys.modules, "numba", None)

    @gpuarray.fuse
    def again(a):
        return again(a) + 1

    @gpuarray.fuse
    def ping(a):
        return pong(a)

    @gpuarray.fuse
    def pong(a):
        return ping(a) * 2

    message = r"line \d+ of .*test_fuse_calls.py: .*recursion without an end cannot be fused"
    for function in (again, ping, gpuarray.vectorize(lambda x: again(x))):
        with pytest.raises(gpuarray.FusionError, match=message):
            function(array("float32"))


def test_endless_recursion_from_a_deep_stack_is_the_same_error(device):
    @gpuarray.fuse
    def again(a):
        return again(a) + 1

    def deep(calls):
        return deep(calls - 1) if calls else again(array("float32"))

    used = len(inspect.stack())
    with pytest.raises(gpuarray.FusionError, match="recursion without an end"):
        deep(sys.getrecursionlimit() - used - 120)


def test_recursion_over_constants_ends(device):
    @gpuarray.fuse
    def power(a, n):
        return a if n == 0 else power(a, n - 1) * a

    a = array("float32")
    check(lambda a: power(a, 3), a)
