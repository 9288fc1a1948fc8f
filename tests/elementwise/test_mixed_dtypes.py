# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Operands, results and casts of different dtypes, in every kind of layout."""

import itertools
import warnings

import numpy as np
import pytest
from _support.compare import Collector, assert_same
from _support.dtypes import DTYPES, PAIRS, kind, promote
from _support.layouts import pair, permuted
from _support.samples import few, ordinary

import gpuarray

MIXED = [np.dtype(name) for name in ("bool", "int8", "uint16", "int32", "float32", "float64")]
LARGE = (1031, 1033)  # beyond 2^20 elements, where kernels are compiled for a layout


def assert_same_bytes(got, expected):
    """Assert the same dtype, shape and bits, those of NaNs and of the signs of zeros as well."""
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert got.get().tobytes() == expected.get().tobytes()


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "rows"])
def test_every_pair_of_dtypes(device, layout):
    cases = Collector()
    for left, right in itertools.product(MIXED, MIXED):
        a, x = pair(left, (33, 35))
        if layout == "contiguous":
            b, y = pair(right, (33, 35), seed=1)
        elif layout == "transposed":
            b, y = permuted(right, (33, 35), (1, 0), seed=1)
        else:
            b, y = pair(right, 35, seed=1)
        for name in ("add", "multiply", "less"):
            cases.check(
                f"{name} {left} {right}",
                lambda f, g, x=x, y=y, a=a, b=b: assert_same(f(x, y), g(a, b)),
                getattr(gpuarray, name),
                getattr(np, name),
            )
    cases.finish()


@pytest.mark.parametrize("name", ["add", "less", "maximum", "true_divide"])
def test_operands_have_the_bits_of_conversions_before(device, name):
    function = getattr(gpuarray, name)
    cases = Collector()
    for left, right in itertools.product(DTYPES, DTYPES):
        # Every element of one with every one of the other, which is walked backwards.
        x = gpuarray.to_device(few(left))[:, None]
        y = gpuarray.to_device(few(right))[::-1]
        both = promote(left, right)
        cases.check(
            f"{left} {right}",
            lambda x, y, both: assert_same_bytes(
                function(x, y), function(x.astype(both), y.astype(both))
            ),
            x,
            y,
            both,
        )
    cases.finish()


def test_results_have_the_bits_of_conversions_after(device):
    cases = Collector()
    for source, target in PAIRS:
        if "buifc".index(kind(target)) < "buifc".index(kind(source)):
            continue
        x = gpuarray.to_device(few(source))
        for name in ("add", "not_equal"):
            function = getattr(gpuarray, name)
            out = gpuarray.zeros((x.size, 2), target)[:, 1]
            cases.check(
                f"{name} {source} {target}",
                lambda x, target, out, function: assert_same_bytes(
                    function(x, x[:1], out=out), function(x, x[:1]).astype(target)
                ),
                x,
                target,
                out,
                function,
            )
    cases.finish()


def test_where_with_mixed_operands(device):
    cases = Collector()
    condition, on_device = permuted("bool", (33, 65), (1, 0))
    for left, right in itertools.product(MIXED, MIXED):
        a, x = pair(left, (33, 65), seed=1)
        b, y = pair(right, (33, 1), seed=2)
        cases.check(
            f"{left} {right}",
            lambda x, y, a, b: assert_same(
                gpuarray.where(on_device, x, y), np.where(condition, a, b)
            ),
            x,
            y,
            a,
            b,
        )
    cases.check(
        "scalars", lambda: assert_same(gpuarray.where(on_device, x, 2), np.where(condition, a, 2))
    )
    cases.check(
        "numeric condition", lambda: assert_same(gpuarray.where(x, y, 2.5), np.where(a, b, 2.5))
    )
    cases.finish()


@pytest.mark.parametrize("operand", MIXED[1:], ids=str)
@pytest.mark.parametrize("target", MIXED[1:], ids=str)
def test_in_place_with_another_dtype(device, target, operand):
    a, x = permuted(target, (65, 33), (1, 0))
    b, y = pair(operand, (65, 33), seed=1)
    if not np.can_cast(promote(target, operand), target, "same_kind"):
        with pytest.raises(TypeError):
            x += y
        return
    a, x = a.copy(order="K"), x.copy(order="K")
    a += b
    x += y
    assert_same(x, a)
    a[1:, ::2] *= b[1:, ::2]
    x[1:, ::2] *= y[1:, ::2]
    assert_same(x, a)


@pytest.mark.parametrize("target", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_out_of_another_dtype_and_order(device, axes, target):
    a, x = pair("float32", (33, 65))
    b, y = pair("int16", (33, 65), seed=1)
    out, on_device = permuted(target, (33, 65), axes)
    out = out.copy(order="K")
    np.add(a, b, out=out, casting="same_kind")
    assert gpuarray.add(x, y, out=on_device) is on_device
    assert_same(on_device, out)


@pytest.mark.parametrize("dtype", MIXED[1:], ids=str)
def test_scalars_on_either_side(device, dtype):
    for axes in ((0, 1), (1, 0)):
        a, x = permuted(dtype, (33, 65), axes)
        assert_same(x + 2, a + 2)
        assert_same(2 - x, 2 - a)
        assert_same(x[:, 1:] * 2.5, a[:, 1:] * 2.5)
        assert_same(2.5 - x[1:, ::2], 2.5 - a[1:, ::2])
        assert_same(np.float64(3) + x.T, np.float64(3) + a.T)


@pytest.mark.parametrize("layout", ["transposed", "strided", "misaligned"])
def test_casts_between_every_pair(device, layout):
    cases = Collector()
    for source, target in itertools.product(DTYPES, DTYPES):
        a = np.abs(ordinary(source, (34, 70)))
        x = gpuarray.to_device(a)
        if layout == "transposed":
            a, x = a.T, x.T
        elif layout == "strided":
            a, x = a[::2, ::-3], x[::2, ::-3]
        else:
            a, x = a[1:, 1:], x[1:, 1:]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            expected = a.astype(target)
        cases.check(
            f"{source} {target}",
            lambda x, target, expected: assert_same(x.astype(target), expected),
            x,
            target,
            expected,
        )
    cases.finish()


def test_large_mixed_dtypes(device):
    a, x = pair("float32", LARGE)
    b, y = pair("int16", LARGE, seed=1)
    assert_same(x + y, a + b)
    assert_same(x + y[0], a + b[0])
    assert_same(x.T + y.T, a.T + b.T)
    assert_same(x[:, :1031] + y[:, :1031].T, a[:, :1031] + b[:, :1031].T)
    out, on_device = np.zeros(LARGE, np.float32), gpuarray.zeros(LARGE, np.float32)
    np.multiply(b, b[:1], out=out, dtype=np.float32, casting="unsafe")
    gpuarray.multiply(y.astype(np.float32), y[:1], out=on_device)
    assert_same(on_device, out)


def test_large_casts(device):
    for source, target in (("float64", "int8"), ("uint8", "float64"), ("int32", "float16")):
        a, x = permuted(source, LARGE, (1, 0))
        assert_same(x.astype(target, order="C"), a.astype(target))
        assert_same(x[1:, 1:].astype(target), a[1:, 1:].astype(target))
