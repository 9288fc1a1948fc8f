# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ReductionKernel in CuPy's and PyCUDA's spelling, against NumPy."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.strategies import shapes
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import ReductionKernel

total = ReductionKernel("T x", "T y", "x", "a + b", "", "0", "total")
dot = ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
largest = ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest")


def numbers(shape, dtype="int64", seed=0):
    return np.random.default_rng([seed, *shape]).integers(-9, 10, shape).astype(dtype)


def both(shape, dtype="int64", seed=0):
    host = numbers(shape, dtype, seed)
    return host, gpuarray.to_device(host)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (2, 1), ()])
def test_axes(device, axis, keepdims):
    x, gx = both((3, 5, 7))
    y, gy = both((3, 5, 7), seed=1)
    assert_same(dot(gx, gy, axis=axis, keepdims=keepdims), (x * y).sum(axis, keepdims=keepdims))
    if axis != ():
        assert_same(largest(gx, axis=axis, keepdims=keepdims), x.max(axis, keepdims=keepdims))


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((300_001,), None), ((3, 70_000), 1), ((70_000, 3), 0), ((200, 300), 0), ((200, 300), 1)],
)
def test_sizes(device, shape, axis):
    x, gx = both(shape)
    y, gy = both(shape, seed=1)
    assert_same(dot(gx, gy, axis=axis), (x * y).sum(axis))
    assert_same(largest(gx, axis=axis), x.max(axis))


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_layouts(device, layout):
    x, y = numbers((4, 5, 6), "float64"), numbers((4, 5, 6), "float64", 1)
    for axis in (None, 0, 1, 2):
        assert_same(dot(layout(x), gpuarray.to_device(y), axis=axis), (x * y).sum(axis))


@given(data=st.data())
def test_broadcast(device, data):
    shape = data.draw(shapes(max_dims=4))
    parts = [
        tuple(1 if data.draw(st.booleans()) else extent for extent in shape[first:])
        for first in (0, data.draw(st.integers(0, len(shape))))
    ]
    (x, gx), (y, gy) = (both(part, "int32", seed) for seed, part in enumerate(parts))
    whole = (x * y).astype("int32")
    axes = data.draw(st.lists(st.integers(0, whole.ndim - 1), unique=True)) if whole.ndim else []
    expected = whole.sum(tuple(axes), dtype="int32")
    assert_same(dot(gx, gy, axis=tuple(axes)), np.asarray(expected))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "complex64", "complex128"])
def test_generic_types(device, dtype):
    x, gx = both((50,), dtype)
    assert_same(total(gx), np.asarray(x.sum(dtype=dtype)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_computed_as_float(device, dtype):
    gx = gpuarray.full(5000, 1.0, dtype)
    result = ReductionKernel("T x", "T y", "x / 2", "a + b", "y = a - 452", "0")(gx)
    assert result.dtype == gx.dtype
    assert float(result.astype("float32")) == 2048


def test_reduce_type_and_conversions(device):
    x, gx = both((1000,), "int8")
    mean = ReductionKernel(
        "float64 x, int64 size", "float32 y", "x", "a + b", "y = a", "0", reduce_type="double"
    )
    assert_same(mean(gx, x.size), np.float32(x.sum()))
    wide = ReductionKernel("T x", "T y", "x", "a + b", "y = a % 100", "0", reduce_type=np.int64)
    assert_same(wide(gpuarray.full(1000, 100, "int8")), np.int8(0))


def test_index_raw_scalars_and_preamble(device):
    x, gx = both((6, 50))
    weights, gw = both((300,), seed=3)
    kernel = ReductionKernel(
        "T x, raw T w, T scale",
        "T y",
        "twice(x) * w[n - 1 - i] * scale",
        "a + b",
        "y = a + 1",
        0,
        "weighted",
        preamble="__device__ long long twice(long long x) { return 2 * x; }",
    )
    mapped = 2 * x * weights[::-1].reshape(6, 50) * 3
    for axis in (None, 0, 1):
        assert_same(kernel(gx, gw, 3, axis=axis), np.asarray(mapped.sum(axis) + 1))
    assert_same(kernel(gx, gw[::-1], np.int64(3)), np.asarray((x.ravel() * weights * 6).sum() + 1))


weighted = ReductionKernel(
    "T x, W w, raw int32 shift",
    "int64 y",
    "load(x) * (long long)w + (i % 3) * shift[0]",
    "a + b",
    "",
    "0",
    "weighted",
    preamble="__device__ long long load(long long x) { return 3 * x; }",
)


@pytest.mark.parametrize("first", [0, 1, 2, 4, 8])
@pytest.mark.parametrize(
    "dtypes",
    [
        ("int8", "int8"),
        ("int32", "int64"),
        ("bool", "int16"),
        ("uint8", "float64"),
        ("float16",) * 2,
    ],
)
def test_operands_at_any_address(device, first, dtypes):
    """Contiguous operands are read by vectors of the widest, as far as all are aligned."""
    for length in (1, 3, 4, 130, 70_003):
        hosts = [numbers((length + first,), dtype)[first:] for dtype in dtypes]
        arrays = [gpuarray.to_device(numbers((length + first,), t))[first:] for t in dtypes]
        wide = [host.astype("int64") for host in hosts]
        index = np.arange(length) % 3
        expected = (3 * wide[0] * wide[1] + index * 5).sum()
        assert weighted(*arrays, gpuarray.array([5], "int32")).item() == expected


@pytest.mark.parametrize("columns", [1, 4, 7, 64, 1031])
def test_rows_that_begin_at_any_address(device, columns):
    x, w = numbers((5, columns), "float32"), numbers((5, columns), "float64", 1)
    index = np.arange(5 * columns).reshape(5, columns) % 3
    expected = (3 * x.astype("int64") * w.astype("int64") + index * -2).sum(1)
    shift = gpuarray.array([-2], "int32")
    assert_same(weighted(gpuarray.to_device(x), gpuarray.to_device(w), shift, axis=1), expected)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_names_of_the_users(device, dtype):
    """Neither parameters nor macros meet names of ours."""
    names = [
        "count",
        "place",
        "at",
        "k",
        "loaded",
        "load",
        "pack",
        "compute",
        "is_aligned",
        "offset",
    ]
    kernel = ReductionKernel(
        ", ".join(f"T {name}" for name in names),
        "T y",
        " + ".join(names) + " + first(Loaded)",
        "a + b",
        "",
        "0",
        "named",
        preamble="#define Loaded 2\n__device__ int first(int data) { return data - 2; }",
    )
    hosts = [np.abs(numbers((130,), seed=seed)).astype(dtype) for seed in range(3)]
    arrays = [gpuarray.to_device(hosts[i % 3]) for i in range(len(names))]
    expected = sum(hosts[i % 3] for i in range(len(names))).sum(dtype=dtype)
    assert_same(kernel(*arrays), expected)


def test_mapped_elements_may_be_wider_than_a_load(device):
    x = numbers((5000,), "int8")
    kernel = ReductionKernel(
        "int8 x", "complex128 y", "complex<double>(x, 1)", "a + b", "", "0", "pairs"
    )
    assert kernel(gpuarray.to_device(x)).item() == complex(x.sum(dtype=int), x.size)


@pytest.mark.cuda
def test_contiguous_operands_are_read_by_vectors(cuda):
    x = gpuarray.ones(100, "float32", device=cuda)
    for operand, pack in ((x, 4), (x.astype("float64"), 2), (x.astype("int8"), 4)):
        kernel = ReductionKernel("T x", "T y", "x", "a + b", "", "0", "vectors")
        kernel(operand)
        assert f"gpuarray_pack = {pack};" in kernel.source


def test_options(device):
    kernel = ReductionKernel("T x", "T y", "x * FACTOR", "a + b", "", 0, options=("-DFACTOR=3",))
    assert kernel(gpuarray.arange(4)).item() == 18


def test_pycuda_spelling(device):
    x, gx = both((2000,), "float32")
    y, gy = both((2000,), "float32", 1)
    for kernel in (
        ReductionKernel(
            np.float32,
            neutral="0",
            reduce_expr="a+b",
            map_expr="x[i]*y[i]",
            arguments="const float *x, const float *y",
        ),
        ReductionKernel(np.dtype("f4"), "0", "a+b", "x[i]*y[i]", "float *x, float *y"),
    ):
        assert_same(kernel(gx, gy), np.asarray((x * y).sum()))
    assert_same(ReductionKernel("float32", "0", "a+b")(gx), np.asarray(x.sum()))
    with pytest.raises(ValueError, match="contiguous"):
        kernel(gx[::2], gy)
    with pytest.raises(TypeError, match="an array of float32, got an array of int64"):
        kernel(gx.astype("int64"), gy)


def test_out(device):
    x, gx = both((4, 5))
    out = gpuarray.empty(5, "int64")
    assert total(gx, out=out, axis=0) is out
    assert_same(out, x.sum(0))
    assert total(gx, out, axis=0) is out
    wide = gpuarray.zeros(10, "float32")
    total(gx, axis=0, out=wide[::-2])
    assert_same(wide[::-2], x.sum(0).astype("float32"))
    total(gx, axis=1, keepdims=True, out=gx[:, 1:2])  # what it reads
    assert_same(gx[:, 1], x.sum(1))


def test_nothing(device):
    empty = gpuarray.empty((0, 3), "int64")
    assert_same(total(empty), np.int64(0))
    assert_same(total(empty, axis=0), np.zeros(3, "int64"))
    assert_same(largest(empty, axis=1), np.zeros(0, "int64"))
    with pytest.raises(ValueError, match="largest which has no identity"):
        largest(empty, axis=0)


def test_the_same_bits_every_time(device):
    x = gpuarray.to_device(np.random.default_rng(0).standard_normal((100, 3000)))
    for axis in (None, 0, 1):
        first = dot(x, x, axis=axis).get().tobytes()
        assert all(dot(x, x, axis=axis).get().tobytes() == first for _ in range(3))


def test_streams_and_graphs(device):
    x, gx = both((100_000,))
    stream = gpuarray.Stream()
    result = dot(gx, gx, stream=stream)
    assert result.item() == (x * x).sum()
    graph = gpuarray.graph(lambda a: dot(a, a))(gx)
    gx += 1
    graph.launch()
    assert graph.result.item() == ((x + 1) ** 2).sum()


def test_source_and_repr(device):
    kernel = ReductionKernel("T x", "T y", "x + 41", "a + b", "", 0, "shown")
    assert (repr(kernel), kernel.source) == ("<gpuarray.ReductionKernel shown>", "")
    kernel(gpuarray.ones(3))
    assert "x + 41" in kernel.source and "using T = double;" in kernel.source


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (TypeError, "dot: expected 2 arguments, got 1", lambda x: dot(x)),
        (TypeError, "dot: expected 2 arguments, got 4", lambda x: dot(x, x, x, x)),
        (TypeError, "T is int64 by x, but y is float64", lambda x: dot(x, x.astype(float))),
        (TypeError, "dot: expected a GPUArray or a scalar, got list", lambda x: dot(x, [1, 2])),
        (TypeError, "numpy.ndarray; convert", lambda x: dot(x, np.ones(3))),
        (ValueError, "dot: shapes", lambda x: dot(x, x[:, :2])),
        (np.exceptions.AxisError, "axis 2", lambda x: total(x, axis=2)),
        (ValueError, "duplicate", lambda x: total(x, axis=(0, 0))),
        (ValueError, "out has shape", lambda x: total(x, out=gpuarray.empty(2, "int64"))),
        (TypeError, "same_kind", lambda x: total(x, out=gpuarray.empty((), "bool"))),
        (ValueError, "expected an array", lambda x: total(3)),
        (ValueError, "one output", lambda x: ReductionKernel("T x", "T y, T z", "x", "a", "", 0)),
        (ValueError, "neither a dtype", lambda x: ReductionKernel("Q1 x", "T y", "x", "a", "", 0)),
        (
            gpuarray.CompileError,
            "nonsense",
            lambda x: ReductionKernel("T x", "T y", "nonsense(x)", "a + b", "", 0)(x),
        ),
    ],
)
def test_errors(device, error, match, call):
    with pytest.raises(error, match=match):
        call(gpuarray.ones((2, 3), "int64"))


def test_identities_may_be_numbers(device):
    x = gpuarray.array([3.0, -1.0, 2.0])
    largest = ReductionKernel("T x", "T y", "x", "max(a, b)", "", float("-inf"))
    assert largest(x).item() == 3
    assert largest(x[:0]).item() == -np.inf
    every = ReductionKernel("bool x", "bool y", "x", "a && b", "", True)
    assert not every(x > 0).item()
    assert ReductionKernel("f4", 0, "a + b")(x.astype("float32")).item() == 4
