# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Fused functions that go on with reductions of rows: softmax, norms and their like."""

import re

import numpy as np
import pytest
from _support.device_code import ARCHITECTURE, needs_nvrtc
from _support.fused import array
from _support.modules import kernel_order
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray
from gpuarray import _core
from gpuarray.kernels import FusedFunction

ROWS = {"axis": -1, "keepdims": True}
TOLERANCE = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-13}


def softmax(x):
    e = np.exp(x - np.max(x, **ROWS))
    return e / np.sum(e, **ROWS)


def layer_norm(x, w, b, eps):
    d = x - x.mean(**ROWS)
    v = (d * d).mean(**ROWS)
    return d / np.sqrt(v + eps) * w + b


def scaled(x):
    return x / np.sqrt((x * x).sum(**ROWS))


def close(got, expected, tolerance=None):
    expected = expected.get() if isinstance(expected, gpuarray.GPUArray) else expected
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    tolerance = tolerance or TOLERANCE.get(got.dtype.name, 2e-6)
    got, expected = got.get(), np.asarray(expected)
    if got.dtype.kind == "f":
        np.testing.assert_allclose(
            got.astype("float64"), expected.astype("float64"), rtol=tolerance, atol=tolerance
        )
    else:
        np.testing.assert_array_equal(got, expected)


class AlwaysFused(FusedFunction):
    """A fused function whose calls fail if they run the operations one by one."""

    def _unfused(self, arguments):
        raise AssertionError("the operations run one by one")


def fuse(function):
    return AlwaysFused(function)


def check(function, *arguments):
    """Return the result of the fused function, after comparing it with the function's own."""
    fused = fuse(function)
    made = fused(*arguments)
    close(made, function(*arguments))
    return made


def normal(shape, dtype="float32", seed=0):
    return gpuarray.to_device(np.random.default_rng(seed).standard_normal(shape).astype(dtype))


@pytest.mark.parametrize("columns", [1, 2, 31, 32, 100, 1000, 1001, 4096, 20000])
def test_rows_of_all_lengths(device, columns):
    x = normal((3, columns))
    check(softmax, x)
    close(fuse(softmax)(x), softmax(x.get()))
    w, b = normal(columns, seed=1), normal(columns, seed=2)
    check(layer_norm, x, w, b, 1e-5)
    check(scaled, x)


@pytest.mark.parametrize("rows", [1, 7, 70, 300])
def test_numbers_of_rows(device, rows):
    for columns in (3, 33, 130):
        check(softmax, normal((rows, columns)))
    check(softmax, normal((2, rows, 5)))


def test_more_long_rows_than_fit_into_registers(device):
    x = normal((70, 33000))
    check(softmax, x)
    check(layer_norm, x, x[0], x[1:2], 1e-5)
    close(gpuarray.fuse(softmax)(x[:2]), softmax(x[:2]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes(device, dtype):
    x = normal((5, 264), dtype)
    made = check(softmax, x)
    assert made.dtype == dtype
    check(layer_norm, x, normal(264, dtype, 1), normal(264, "float32", 2), np.float32(1e-5))
    check(scaled, x)
    check(lambda x, y: x - y.mean(**ROWS), x, gpuarray.arange(264, dtype="int16"))


def test_all_reductions(device):
    x, y = array("float32", (4, 40)), array("int32", (4, 40), seed=1)
    z = array("complex64", (4, 40))
    for function in (
        lambda x, y: x + y.sum(**ROWS),
        lambda x, y: x + y.sum(dtype="float32", **ROWS),
        lambda x, y: (x > 0) | (y > 3).any(**ROWS),
        lambda x, y: (x > 0) & (y > -300).all(**ROWS),
        lambda x, y: (x - x.min(**ROWS)) / (x.max(**ROWS) - x.min(**ROWS)),
        lambda x, y: x * (y % 3).prod(**ROWS),
        lambda x, y: (x - x.mean(**ROWS)) / x.std(**ROWS),
        lambda x, y: x / x.var(ddof=1, **ROWS) + y.var(correction=2, **ROWS),
        lambda x, y: x - gpuarray.mean(y, axis=(-1,), keepdims=True),
        lambda x, y: gpuarray.where(x > y.max(**ROWS), x, y.min(**ROWS)),
    ):
        check(function, x, y)
    fused = fuse(lambda z: z * z.mean(**ROWS).real + z.var(**ROWS))
    expected = z * z.mean(**ROWS).real + z.var(**ROWS)
    np.testing.assert_allclose(fused(z).get(), expected.get(), rtol=1e-5)


def test_nan_and_infinity(device):
    x = np.random.default_rng(0).standard_normal((6, 70)).astype("float32")
    x[1, 3] = np.nan
    x[2, 69] = -np.inf
    x[3, :] = -np.inf
    x[4, 0] = np.inf
    with np.errstate(invalid="ignore"):
        close(fuse(softmax)(gpuarray.to_device(x)), softmax(x))
    check(lambda x: gpuarray.isnan(x.max(**ROWS)) | (x == x.min(**ROWS)), gpuarray.to_device(x))


def test_broadcasting_and_axes(device):
    x, row, column = normal((4, 3, 50)), normal(50, seed=1), normal((3, 1), seed=2)
    check(lambda x, r, c: (x - c).max(**ROWS) + x * r, x, row, column)
    check(lambda x, r: x - gpuarray.sum(r, **ROWS), x, row)
    check(lambda x, c: x * c / (x * c).sum(axis=2, keepdims=True), x, column)
    check(lambda x: x - x.mean(**ROWS), x.transpose(1, 0, 2))
    check(lambda x: x - x.mean(**ROWS), x[::2, ::-1])
    check(lambda x, f: x - f.mean(**ROWS), x[0], gpuarray.broadcast_to(column, (3, 50)))
    check(lambda x: x - x.mean(**ROWS), x[:, :, 1:])
    check(lambda x: x - x.mean(**ROWS), row)


def test_changes_and_several_results(device):
    def center(x, y):
        m = x.mean(**ROWS)
        x -= m
        y += x.max(**ROWS)
        return x, x * m

    x, y = normal((5, 60)), normal((5, 60), seed=1)
    a, b = x.copy(), y.copy()
    made = fuse(center)(x, y)
    assert made[0] is x
    for one, other in zip((*made, y), (*center(a, b), b), strict=True):
        close(one, other)


def test_calls_of_each_other_and_methods(device):
    class Layer:
        def __init__(self, weight):
            self.weight = weight

        @fuse
        def __call__(self, x):
            return gpuarray.fuse(softmax)(x * self.weight) + 1

    x = normal((3, 40))
    layer = Layer(normal(40, seed=1))
    for _ in range(2):
        close(layer(x), softmax(x * layer.weight) + 1)
        layer.weight = 0.5


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x - y.max(**ROWS),
        lambda x, y: x.max(axis=0, keepdims=True) + x,
        lambda x, y: gpuarray.exp(x.max(**ROWS)),
        lambda x, y: (x, x - x.mean(**ROWS), x.mean(**ROWS)),
        lambda x, y: x.mean(**ROWS),
        lambda x, y: x.max(**ROWS).sum(**ROWS) + x,
        lambda x, y: (x / x.sum(**ROWS)).max(**ROWS),
        lambda x, y: (x / x.sum(**ROWS)).sum(axis=0),
    ],
)
def test_what_is_not_over_rows_runs_one_by_one(device, function):
    x, y = normal((4, 30)), normal((4, 1), seed=1)
    got, expected = gpuarray.fuse(function)(x, y), function(x, y)
    pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
    for one, other in pairs:
        close(one, other)


def test_arrays_that_one_kernel_cannot_serve_run_one_by_one(device):
    fused = gpuarray.fuse(softmax)
    x = normal((6, 64))
    for one in (x.T, x[:, ::2], x[:, ::-1]):
        close(fused(one), softmax(one))
    centered = gpuarray.fuse(lambda x: x - x.max(axis=1, keepdims=True))
    for one in (x, x[None], x):
        close(centered(one), one - one.max(axis=1, keepdims=True))


def test_nothing_to_reduce(device):
    fused = gpuarray.fuse(softmax)
    assert fused(gpuarray.empty((0, 4), "float32")).shape == (0, 4)
    with pytest.raises(ValueError, match="zero-size"):
        fused(gpuarray.empty((4, 0), "float32"))
    assert gpuarray.fuse(scaled)(gpuarray.empty((4, 0), "float32")).shape == (4, 0)


def test_a_reduction_of_rows_at_the_end_is_a_fold(device):
    fused = gpuarray.fuse(lambda x: (x * x).sum(**ROWS))
    x = normal((4, 30))
    close(fused(x), (x * x).sum(**ROWS))
    assert "GpuarrayOperation" in fused.source

    def changed(x):
        s = (x * x).sum(**ROWS)
        s += 1
        return s

    close(gpuarray.fuse(changed)(x), changed(x))
    unused = gpuarray.fuse(lambda x: [s := x.sum(**ROWS), x / s][0])
    close(unused(x), x.sum(**ROWS))


@settings(max_examples=30, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 300)),
    dtype=st.sampled_from(sorted(TOLERANCE)),
    seed=st.integers(0, 9),
)
def test_any_shape(device, shape, dtype, seed):
    x, w = normal(shape, dtype, seed), normal(shape[-1], dtype, seed + 1)
    for function, arguments in ((softmax, (x,)), (layer_norm, (x, w, 1, 0.01))):
        close(FUSED[function](*arguments), function(*arguments))


FUSED = {function: fuse(function) for function in (softmax, layer_norm)}

VARIANTS = {
    "held": {},
    "short": {"lanes": 1, "rounds": 1},
    "of a warp": {"lanes": 32, "rounds": 3, "vectors": False},
    "long": {"lanes": 512, "held": False},
    "wide": {"lanes": 1024, "wide": True, "dims": 4},
}


@needs_nvrtc
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "float32", "complex64", "uint64"])
def test_every_variant_compiles(dtype, variant):
    def function(x, y):
        mean = (x + y).mean(**ROWS)
        if dtype != "complex64":
            mean = mean + y.max(**ROWS) * x.any(**ROWS)
        return x - mean + y.std(**ROWS) + x.sum(**ROWS)

    fused = gpuarray.fuse(function)
    program = fused._specialize((("array", dtype), ("array", dtype)))
    image = _core._compile_cubin(program.source("cuda", **VARIANTS[variant]), 9, 0)
    assert b".text.gpuarray_kernel\0" in image


@needs_nvrtc
def test_rows_are_read_once_and_computed_once():
    program = gpuarray.fuse(softmax)._specialize((("array", "float32"),))
    options = ARCHITECTURE, "k.cu", ("--fmad=false", "-default-device"), (), (), "ptx"
    text = _core._compile_source(program.source("cuda", lanes=256, rounds=4), *options)[0].decode()
    assert kernel_order().faults(text) == ({}, 1)
    assert len(re.findall(r"\bld(\.global)?\.v4\.[fub]32", text)) == 4
    assert text.count("st.global.v4.u32") == 4
    assert text.count("ex2.approx") == 16
