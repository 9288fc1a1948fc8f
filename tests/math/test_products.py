# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Products of vectors, matrices and arrays: values and errors are NumPy's."""

import numpy as np
import pytest
from _support.compare import assert_same
from _support.dtypes import BFLOAT16, DTYPES, kind
from hypothesis import given
from hypothesis import strategies as st

import gpuarray

# As small as they are, sums of these are exact in every dtype.
SMALL = ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex64"]


def whole(dtype, shape, seed=0):
    values = np.random.default_rng([seed, *shape]).integers(0, 3, shape)
    return (values if kind(np.dtype(dtype)) in "bu" else values - 1).astype(dtype)


def sample(dtype, shape, seed=0):
    values = whole(dtype, shape, seed)
    return (
        values + (1j * whole("int8", shape, seed + 9)).astype(dtype)
        if kind(values.dtype) == "c"
        else values
    )


def check(got, expected):
    assert isinstance(got, gpuarray.GPUArray)
    assert_same(got, np.asarray(expected), signed_zero=False)


def both(function, *arrays, **kwargs):
    check(
        function(gpuarray)(*map(gpuarray.to_device, arrays), **kwargs),
        function(np)(*arrays, **kwargs),
    )


TWO = {
    "dot": "3 3|23 3|3 34|23 34|523 3|523 436|23 436|3 432|- 23|0 0|20 03|523 34",
    "inner": "3 3|23 3|3 43|23 43|253 463|- 3|20 30",
    "outer": "3 4|23 22|0 3|- 3",
    "vdot": "6 6|23 23|23 6|0 0|- -",
    "vecdot": "3 3|23 23|513 23|20 20|03 03",
    "matvec": "23 3|523 3|523 53|23 43|03 3",
    "vecmat": "2 23|52 23|2 523|0 03",
    "kron": "2 3|23 32|2 32|212 2|- 3|0 3",
}


def shapes_of(text):
    """Of "23 3" (2, 3) and (3,); "-" is no dimensions."""
    return [tuple(map(int, word.strip("-"))) for word in text.split()]


CASES = [(name, pair) for name, pairs in TWO.items() for pair in pairs.split("|")]


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize(("name", "shapes"), CASES, ids=str)
def test_of_two_arrays(device, name, shapes, dtype):
    left, right = shapes_of(shapes)
    a, b = sample(dtype, left, 1), sample(dtype, right, 2)
    both(lambda xp: getattr(xp, name), a, b)
    both(lambda xp: getattr(np, name), a, b)


@pytest.mark.parametrize("length", [70, 5000])
def test_long_sums_of_vectors(device, length):
    for left, right in [
        ((length,), (length,)),
        ((4, length), (length,)),
        ((3, 1, length), (2, length)),
    ]:
        both(lambda xp: xp.vecdot, whole("float64", left), whole("float64", right, 1))


@pytest.mark.parametrize("name", TWO)
def test_dtypes_promote(device, name):
    a, b = whole("int16", (3, 3)), whole("float32", (3, 3), 1)
    both(lambda xp: getattr(xp, name), a, b)


def test_every_dtype_of_vectors(device):
    for dtype in DTYPES:
        a = whole(dtype, (2, 5), 1)
        got = gpuarray.vecdot(gpuarray.to_device(a), gpuarray.to_device(a))
        expected = np.logical_and(a, a).any(-1) if kind(dtype) == "b" else (a * a).sum(-1)
        assert got.dtype == dtype
        assert_same(got.astype("complex128"), expected.astype("complex128"), signed_zero=False)


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
@pytest.mark.parametrize("length", [50, 5000])
def test_halves_are_summed_in_float32(device, dtype, length):
    x = np.full((2, length), 1.0 / 3).astype(dtype)
    exact = (x.astype(np.float64) ** 2).sum(-1)
    got = gpuarray.vecdot(gpuarray.to_device(x), gpuarray.to_device(x)).astype(np.float64).get()
    np.testing.assert_allclose(got, exact, rtol=2**-8 if dtype == BFLOAT16 else 2**-11)


@pytest.mark.parametrize(
    ("shapes", "axes"),
    [
        (((2, 3), (3, 4)), 1),
        (((2, 3), (2, 3)), 2),
        (((2, 3), (4, 5)), 0),
        (((2, 3, 4), (4, 3, 5)), ([1, 2], [1, 0])),
        (((2, 3, 4), (4, 3, 5)), ([2, 1], [0, 1])),
        (((2, 3, 4), (5, 2)), (0, 1)),
        (((2, 3, 4), (5, 2)), ((-3,), (-1,))),
        (((2, 3, 4), (3, 4, 5)), 2),
        (((2, 0), (0, 3)), 1),
        (((), (3,)), 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["int32", "float64", "complex128"])
def test_tensordot(device, shapes, axes, dtype):
    a, b = sample(dtype, shapes[0], 1), sample(dtype, shapes[1], 2)
    both(lambda xp: xp.tensordot, a, b, axes=axes)
    both(lambda xp: np.tensordot, a, b, axes=axes)


@given(data=st.data())
def test_tensordot_of_any_axes(device, data):
    extents = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(extents))))
    count = data.draw(st.integers(0, len(extents)))
    shape = tuple(extents[axis] for axis in order)
    a = whole("float64", tuple(extents), 1)
    axes = (list(order[:count]), list(range(count)))
    b = whole("float64", shape, 2)
    if data.draw(st.booleans()):
        a = a.T
        axes = ([len(extents) - 1 - axis for axis in axes[0]], axes[1])
    got = gpuarray.tensordot(gpuarray.to_device(a), gpuarray.to_device(b), axes)
    check(got, np.tensordot(a, b, axes))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.tensordot(x, x, 1),
        lambda xp, x: xp.tensordot(x, x, ([0], [1])),
        lambda xp, x: xp.dot(x, x),
        lambda xp, x: xp.inner(x, xp.ones((2, 2))),
        lambda xp, x: xp.vdot(x, xp.ones(5)),
        lambda xp, x: xp.vecdot(x, xp.ones(2)),
        lambda xp, x: xp.matvec(x, xp.ones(2)),
        lambda xp, x: xp.vecmat(x, xp.ones((2, 2))),
        lambda xp, x: xp.vecdot(xp.ones(()), xp.ones(())),
        lambda xp, x: xp.matvec(xp.ones(3), xp.ones(3)),
        lambda xp, x: xp.vecdot(x, x, axis=2),
        lambda xp, x: xp.matrix_transpose(xp.ones(3)),
    ],
)
def test_errors_are_of_numpys_type(device, call):
    with pytest.raises(Exception) as expected:
        call(np, np.ones((2, 3)))
    with pytest.raises(expected.type):
        call(gpuarray, gpuarray.ones((2, 3)))


def test_axes_of_vecdot(device):
    a, b = sample("complex128", (3, 4), 1), sample("complex128", (3, 4), 2)
    for axis in (0, 1, -1, -2):
        both(lambda xp: xp.vecdot, a, b, axis=axis)
        both(lambda xp: np.vecdot, a, b, axis=axis)


def test_out(device):
    a, b = gpuarray.ones((2, 3)), gpuarray.ones((3, 2))
    for call, shape in [
        (lambda out: gpuarray.dot(a, b, out=out), (2, 2)),
        (lambda out: gpuarray.outer(a, b, out=out), (6, 6)),
        (lambda out: gpuarray.vecdot(a, a, out=out), (2,)),
        (lambda out: gpuarray.matvec(a, b[:, 0], out=out), (2,)),
        (lambda out: gpuarray.vecmat(b[:, 0], b, out=out), (2,)),
    ]:
        out = gpuarray.zeros(shape)
        assert call(out) is out
        assert out.min().item() > 0
        with pytest.raises(ValueError, match="shape"):
            call(gpuarray.zeros((7, 7)))


def test_matrix_transpose_is_a_view(device):
    x = gpuarray.ones((2, 3, 4))
    assert gpuarray.matrix_transpose(x).shape == (2, 4, 3)
    assert gpuarray.matrix_transpose(x).base is x


def test_scalars(device):
    x = gpuarray.arange(3.0)
    assert gpuarray.dot(2, x).tolist() == [0, 2, 4]
    assert gpuarray.inner(x, 2).tolist() == [0, 2, 4]
    assert gpuarray.kron(2, x).tolist() == [0, 2, 4]
    assert gpuarray.outer(2, x).shape == (1, 3)


def test_ndarrays_are_refused(device):
    for name in ("dot", "inner", "vdot", "vecdot", "tensordot", "kron", "outer", "matvec"):
        with pytest.raises(TypeError, match="to_device"):
            getattr(gpuarray, name)(gpuarray.ones((3, 3)), np.ones((3, 3)))
