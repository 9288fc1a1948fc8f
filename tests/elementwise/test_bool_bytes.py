# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Bools whose bytes are neither 0 nor 1, which views and other libraries' memory may hold.

Every function answers as it does for bools of 0 and 1, to the last byte.
"""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from _support.special_values import DTYPES
from _support.tables import OPERATIONS
from hypothesis import given

import gpuarray
from gpuarray import _core

D = gpuarray.to_device
# Of one vector and less, with what is left over, and of many blocks.
SHAPES = [(1,), (5,), (17,), (6, 40), (3, 7, 5), (130, 64), (50_000,)]
ROWS = [(name, arity) for name, arity, *_ in _core.op_table()]


def bytes_of(shape, seed=0):
    return np.random.default_rng(seed).choice(np.uint8([0, 0, 1, 2, 128, 255]), shape)


def both(shape, seed=0):
    """Return bools of any bytes, and the same bools of 0 and 1."""
    given = bytes_of(shape, seed)
    return D(given).view("bool"), D(given != 0)


def raw(made):
    """Return what can be compared byte by byte."""
    if isinstance(made, gpuarray.GPUArray):
        return made.dtype, made.shape, made.copy().reshape(-1).view("uint8").get().tobytes()
    if isinstance(made, (tuple, list)):
        return [raw(each) for each in made]
    return made


def check(function, *pairs):
    given, expected = zip(*pairs, strict=True)
    assert raw(function(*given)) == raw(function(*expected))


def test_the_issue(device):
    a = D(np.int8([0, 1, 2])).view("bool")
    assert a.sum() == 2
    np.testing.assert_array_equal((D(np.ones(3)) + a).get(), [1, 2, 2])
    assert a.tolist() == [False, True, True]
    assert [bool(each) for each in a] == [each.item() for each in a] == [False, True, True]
    assert repr(a) == repr(D([False, True, True]))
    assert int(a[2]) == 1


def calls(op, x, other):
    """Return calls of an operation on `x` alone, on both sides of `other`, and of a scalar."""
    if op.arity == 1:
        return [lambda a: op.gpu(a)]
    if op.arity == 2:
        return [
            lambda a: op.gpu(a, a),
            lambda a: op.gpu(a, other),
            lambda a: op.gpu(other, a),
            lambda a: op.gpu(a, True),
            lambda a: op.gpu(other, a[::-1]),
        ]
    return [
        lambda a: op.gpu(a, other, 2),
        lambda a: op.gpu(a, a[::-1], a),
        lambda a: op.gpu(other != 0, a, a),
        lambda a: op.gpu(a, False, True),
    ]


@pytest.mark.parametrize("shape", [(1,), (17,), (6, 40), (3000,)], ids=str)
@pytest.mark.parametrize("op", OPERATIONS, ids=str)
def test_operations(device, op, shape):
    a, b = both(shape)
    for dtype in ("bool", "int8", "float32"):
        other = D((np.arange(np.prod(shape)) % 3).reshape(shape).astype(dtype))
        for call in calls(op, a, other):
            try:
                expected = call(b)
            except TypeError:
                continue
            assert raw(call(a)) == raw(expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_conversions(device, dtype, shape):
    if dtype != "bool":  # a copy keeps the bytes
        check(lambda a: a.astype(dtype), both(shape))
        check(lambda a: a.T[::-1].astype(dtype), both(shape))
        check(lambda a: gpuarray.zeros(a.shape, dtype).__setitem__(..., a), both(shape))
    check(lambda a: gpuarray.ones(a.shape, dtype) + a, both(shape))
    check(lambda a: gpuarray.where(a, gpuarray.ones(a.shape, dtype), 0), both(shape))


def test_copies_keep_the_bytes(device):
    given = bytes_of((6, 40))
    a = D(given).view("bool")
    for made in (a.copy(), a.astype("bool"), gpuarray.concatenate([a[:2], a[2:]])):
        np.testing.assert_array_equal(made.view("uint8").get(), given)
    np.testing.assert_array_equal(a.T.copy().view("uint8").get(), given.T)


REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std")


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(device, name, shape, axis):
    reduce = getattr(gpuarray, name)
    check(lambda a: reduce(a, axis=axis), both(shape))
    check(lambda a: reduce(a.T, axis=axis), both(shape, 1))
    check(lambda a: reduce(a[..., 1:] if a.size > 1 else a, axis=axis), both(shape, 2))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float32"])
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_reductions_in_a_dtype(device, name, dtype):
    for shape in SHAPES:
        check(lambda a: getattr(gpuarray, name)(a, dtype=dtype), both(shape))


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "mean", "var"])
def test_masks_of_reductions(device, name):
    check(lambda a: getattr(gpuarray, name)(gpuarray.ones(a.shape), where=a), both((6, 40)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("dtype", [None, "bool"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_sums_so_far(device, name, dtype, axis, shape):
    check(lambda a: getattr(gpuarray, name)(a, axis=axis, dtype=dtype), both(shape))


SCANS = ("maximum", "minimum", "logical_and", "logical_xor", "bitwise_or", "bitwise_xor")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("name", SCANS)
def test_scans(device, name, axis, shape):
    check(lambda a: getattr(np, name).accumulate(a, axis), both(shape))


OF_ROW = {
    "sort": gpuarray.sort,
    "sort descending": lambda a: gpuarray.sort(a, descending=True),
    "argsort": gpuarray.argsort,
    "argsort descending": lambda a: gpuarray.argsort(a, descending=True),
    "partition": lambda a: gpuarray.partition(a, len(a) // 2),
    "lexsort": lambda a: gpuarray.lexsort([a, a[::-1]]),
    "unique": lambda a: [
        x != 0 if x.dtype == bool else x for x in gpuarray.unique(a, True, True, True)
    ],
    "unique_values": gpuarray.unique_values,
    "searchsorted": lambda a: gpuarray.searchsorted(gpuarray.sort(a), a, "right"),
    "searchsorted in bools": lambda a: gpuarray.searchsorted(D([False, True, True]), a),
    "digitize": lambda a: gpuarray.digitize(a, D([False, True])),
    "bincount": gpuarray.bincount,
    "weights": lambda a: gpuarray.bincount(gpuarray.arange(len(a)) % 3, a),
    "histogram": lambda a: gpuarray.histogram(a, 4),
    "histogram weights": lambda a: gpuarray.histogram(gpuarray.arange(len(a)), 4, weights=a),
    "nonzero": gpuarray.nonzero,
    "count_nonzero": lambda a: int(gpuarray.count_nonzero(a)),
    "mask": lambda a: gpuarray.arange(len(a))[a],
    "mask of itself": lambda a: a[a] != 0,
    "compress": lambda a: gpuarray.compress(a, gpuarray.arange(len(a))),
    "extract": lambda a: gpuarray.extract(a, gpuarray.arange(len(a))),
    "choose": lambda a: gpuarray.choose(a, [gpuarray.zeros(len(a)), gpuarray.ones(len(a))]),
    "select": lambda a: gpuarray.select([a], [gpuarray.arange(len(a))], -1),
    "isin": lambda a: gpuarray.isin(a, D([True])),
    "union1d": lambda a: gpuarray.union1d(a, D([True])),
    "packbits": gpuarray.packbits,
    "diff": gpuarray.diff,
    "array_equal": lambda a: gpuarray.array_equal(a, a[::-1]),
    "allclose": lambda a: gpuarray.allclose(a, a != 0),
    "dot": lambda a: gpuarray.dot(a, a[::-1]),
    "matmul": lambda a: gpuarray.matmul(a[:, None], a[None, :8]),
    "matmul of float": lambda a: gpuarray.matmul(a[None, :], gpuarray.ones((len(a), 2))),
    "einsum": lambda a: gpuarray.einsum("i,j->ij", a, a[:7]),
    "convolve": lambda a: gpuarray.convolve(a, gpuarray.ones(3)),
    "median": gpuarray.median,
    "average": lambda a: gpuarray.average(gpuarray.arange(len(a)), weights=1 + a),
    "interp": lambda a: gpuarray.interp(a, D([0.0, 1.0]), D([5.0, 7.0])),
    "trapezoid": gpuarray.trapezoid,
    "nansum": gpuarray.nansum,
    "ptp of int": lambda a: gpuarray.ptp(a.astype("int8")),
    "flatnonzero": gpuarray.flatnonzero,
    "argwhere": gpuarray.argwhere,
    "power": lambda a: a**2,
    "tolist": lambda a: a.tolist(),
    "str": str,
}


@pytest.mark.parametrize("shape", [(5,), (700,), (40_000,)], ids=str)
@pytest.mark.parametrize("name", OF_ROW)
def test_functions(device, name, shape):
    check(OF_ROW[name], both(shape))


def written(change):
    """Return a function that applies `change` to integers, by a mask."""

    def function(mask):
        target = gpuarray.arange(mask.size).reshape(mask.shape)
        change(target, mask)
        return target

    return function


CHANGES = {
    "mask": lambda x, m: x.__setitem__(m, -1),
    "mask of values": lambda x, m: x.__setitem__(m, gpuarray.arange(int(m.sum()))),
    "where": lambda x, m: gpuarray.copyto(x, 7, where=m),
    "putmask": lambda x, m: gpuarray.putmask(x, m, D([1, 2, 3])),
    "place": lambda x, m: gpuarray.place(x, m, D([1, 2, 3])),
    "from bools": lambda x, m: x.__setitem__(..., m),
    "add": lambda x, m: x.__iadd__(m),
    "at": lambda x, m: np.add.at(x, np.s_[:1], m[:1]),
    "scatter": lambda x, m: gpuarray.scatter_add(x.reshape(-1), D([0, 0, 1]), m.reshape(-1)[:3]),
}


@pytest.mark.parametrize("shape", [(5,), (6, 40), (40_000,)], ids=str)
@pytest.mark.parametrize("name", CHANGES)
def test_assignments(device, name, shape):
    check(written(CHANGES[name]), both(shape))


@pytest.mark.parametrize("name", ["add", "maximum", "minimum", "logical_xor", "bitwise_or"])
def test_combining_at(device, name):
    def combined(a):
        target = a.copy()
        getattr(np, name).at(target, D([0, 1, 2, 2, 3]), a[4:9])
        return target != 0

    check(combined, both((20,)))


def kernels(a):
    elementwise = gpuarray.ElementwiseKernel("T x, bool b", "float32 z", "z = x + b", "added")
    inout = gpuarray.ElementwiseKernel("bool x", "bool y", "y = x == true", "same")
    whole = gpuarray.ElementwiseKernel(
        "raw bool x", "int32 y", "y = x[i] + (x[i] ? 10 : 0) + (x[n - 1 - i] == x[i])", "whole"
    )
    total = gpuarray.ReductionKernel("bool x", "int64 y", "x", "a + b", "y = a", "0", "total")
    fused = gpuarray.fuse(lambda x, y: gpuarray.where(x, y + x, x ^ True))
    y = gpuarray.arange(a.size, dtype="float32").reshape(a.shape)
    return [
        elementwise(y, a),
        elementwise(y, a[::-1]),
        inout(a),
        whole(a, size=a.size),
        whole(a[::-1], size=a.size),
        total(a),
        fused(a, y),
        fused(a[::-1], y),
    ]


@pytest.mark.parametrize("shape", [(5,), (6, 40), (5000,)], ids=str)
def test_kernels(device, shape):
    check(kernels, both(shape))


def test_a_written_argument_is_read(device):
    kernel = gpuarray.ElementwiseKernel("bool x", "bool y", "y = (x == y)", "compared")

    def compared(a):
        made = a.copy()
        kernel(a[::-1], made)
        return made

    check(compared, both((500,)))


@pytest.mark.parametrize("shape", [(40,), (3, 50)], ids=str)
def test_raw_arrays_are_written(device, shape):
    kernel = gpuarray.ElementwiseKernel(
        "raw bool x", "raw bool y", "y[i] = x[i]; y[i] |= x[0]; y[i] ^= x[n - 1]", "mixed"
    )

    def mixed(a):
        made = gpuarray.zeros(a.shape, "bool")
        kernel(a, made, size=a.size)
        return made

    check(mixed, both(shape))


def test_imported_memory(device):
    given = bytes_of(100)
    for made in (
        gpuarray.asarray(given.view("bool"), device=device),
        gpuarray.from_dlpack(D(given).view("bool")),
    ):
        assert made.sum() == np.count_nonzero(given)
        np.testing.assert_array_equal((made + np.int8(0)).get(), given != 0)


@given(
    hnp.arrays(
        np.uint8,
        hnp.array_shapes(max_dims=3, max_side=40),
        elements=st.sampled_from([0, 1, 2, 255]),
    ),
    st.booleans(),
)
def test_any_bytes(device, given, turned):
    given = given.T if turned else given
    a, expected = D(given).view("bool"), given != 0
    assert int(a.sum()) == expected.sum()
    assert bool((a == D(expected)).all())
    np.testing.assert_array_equal(gpuarray.argsort(a).get(), np.argsort(expected, kind="stable"))
    np.testing.assert_array_equal(gpuarray.cumsum(a).get(), np.cumsum(expected))
    np.testing.assert_array_equal((a * 3.0).get(), expected * 3.0)
    np.testing.assert_array_equal((~a).view("uint8").get(), (~expected).view("uint8"))
