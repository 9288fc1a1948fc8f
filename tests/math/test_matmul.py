# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The @ operator: vectors, matrices and stacks of them."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import Collector, assert_same
from _support.dtypes import BFLOAT16, DTYPES, PAIRS, epsilon, kind, promote
from _support.samples import ordinary

import gpuarray

SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 18)),
    ((64, 64), (64, 64)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((1, 5, 2, 3), (6, 1, 3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((0, 3), (3, 4)),
    ((2, 0), (0, 4)),
    ((2, 3), (3, 0)),
    ((0,), (0,)),
    ((0, 2, 3), (3, 4)),
]


def whole_numbers(dtype, shape, seed):
    """Small integers, whose products and sums are exact in every dtype."""
    values = np.random.default_rng([seed, *shape]).integers(0, 4, shape)
    return (values if kind(dtype) in "bu" else values - 1).astype(dtype)


def reference(x, y):
    dtype = promote(x.dtype, y.dtype)
    if kind(dtype) == "f" and dtype.itemsize == 2:
        return np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(dtype)
    return np.matmul(x.astype(dtype), y.astype(dtype))


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_every_shape(device, shapes):
    for dtype in (np.float32, np.float64, np.int32, np.complex64):
        x, y = whole_numbers(dtype, shapes[0], 1), whole_numbers(dtype, shapes[1], 2)
        got = gpuarray.to_device(x) @ gpuarray.to_device(y)
        assert isinstance(got, gpuarray.GPUArray)
        assert_same(got, np.asarray(x @ y), signed_zero=False)


def test_every_pair_of_dtypes(device):
    cases = Collector()
    for a, b in PAIRS:
        cases.check(f"{a}, {b}", check_pair, a, b)
    cases.finish()


def check_pair(a, b):
    x, y = whole_numbers(a, (3, 5), 1), whole_numbers(b, (5, 2), 2)
    got = gpuarray.to_device(x) @ gpuarray.to_device(y)
    assert_same(got, reference(x, y), signed_zero=False)


@pytest.mark.parametrize("left", layouts.ALL, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("right", layouts.ALL, ids=lambda layout: layout.__name__)
def test_every_layout(device, left, right):
    x, y = whole_numbers(np.float32, (4, 9, 7), 1), whole_numbers(np.float32, (4, 7, 6), 2)
    assert_same(left(x) @ right(y), x @ y, signed_zero=False)


def test_broadcast_strides(device):
    x, y = whole_numbers(np.float64, (1, 4, 5), 1), whole_numbers(np.float64, (3, 5, 2), 2)
    assert_same(gpuarray.to_device(x) @ gpuarray.to_device(y), x @ y, signed_zero=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_accuracy_of_long_sums(device, dtype):
    x, y = ordinary(dtype, (20, 700), 1), ordinary(dtype, (700, 30), 2)
    exact = x.astype(np.clongdouble) @ y.astype(np.clongdouble)
    error = np.abs((gpuarray.to_device(x) @ gpuarray.to_device(y)).get() - exact)
    scale = np.abs(x).astype(np.float64) @ np.abs(y).astype(np.float64)
    assert (error <= 50 * epsilon(np.dtype(dtype).type(0).real.dtype) * scale).all()


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16], ids=str)
def test_halves_are_summed_in_float32(device, dtype):
    x = np.full((1, 4096), 1.0).astype(dtype)
    got = gpuarray.to_device(x) @ gpuarray.to_device(x.T)
    assert got.astype(np.float32).item() == 4096.0


def test_nan_and_infinity(device):
    x = np.array([[np.inf, 1.0], [np.nan, 0.0]])
    y = np.array([[1.0, 0.0], [2.0, 1.0]])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal((gpuarray.to_device(x) @ gpuarray.to_device(y)).get(), x @ y)


@pytest.mark.parametrize(
    ("a", "b"),
    [((2, 3), (2, 3)), ((3,), (4,)), ((2, 3), (4,)), ((4,), (3, 2)), ((2, 2, 3), (3, 3, 4))],
    ids=str,
)
def test_shapes_that_do_not_fit(device, a, b):
    with pytest.raises(ValueError, match="matmul"):
        gpuarray.ones(a) @ gpuarray.ones(b)


def test_scalars_are_refused(device):
    for a, b in [((), (3,)), ((3,), ()), ((), ())]:
        with pytest.raises(ValueError, match="matmul"):
            gpuarray.ones(a) @ gpuarray.ones(b)
    with pytest.raises((TypeError, ValueError), match="matmul"):
        gpuarray.ones(3) @ 2.0


def test_ndarray_is_refused(device):
    with pytest.raises(TypeError, match="to_device"):
        gpuarray.ones((2, 2)) @ np.ones((2, 2))
    with pytest.raises(TypeError, match="to_device"):
        np.ones((2, 2)) @ gpuarray.ones((2, 2))


def test_in_place(device):
    x, y = whole_numbers(np.float64, (4, 4), 1), whole_numbers(np.float64, (4, 4), 2)
    g = gpuarray.to_device(x)
    before, address = g, g.ptr
    g @= gpuarray.to_device(y)
    assert g is before
    assert g.ptr == address
    assert_same(g, x @ y, signed_zero=False)
    g @= g
    assert_same(g, (x @ y) @ (x @ y), signed_zero=False)
    with pytest.raises(ValueError, match="matmul"):
        g @= gpuarray.ones((4, 2))


def test_functions(device):
    x, y = whole_numbers(np.float64, (2, 3), 1), whole_numbers(np.float64, (3, 2), 2)
    gx, gy = gpuarray.to_device(x), gpuarray.to_device(y)
    assert_same(gpuarray.matmul(gx, gy), x @ y, signed_zero=False)
    assert_same(gx.dot(gy), x @ y, signed_zero=False)
    out = gpuarray.zeros((2, 2))
    assert gpuarray.matmul(gx, gy, out=out) is out
    assert_same(out, x @ y, signed_zero=False)


def test_every_dtype_against_itself_keeps_it(device):
    for dtype in DTYPES:
        assert (gpuarray.ones((2, 2), dtype) @ gpuarray.ones((2, 2), dtype)).dtype == dtype


def test_every_layout_of_large_operands(device):
    """Products that a library computes, of whatever it can and cannot take as it lies."""
    cases = Collector()
    x, y = whole_numbers(np.float64, (4, 31, 300), 1), whole_numbers(np.float64, (4, 300, 26), 2)
    for left in layouts.ALL:
        for right in layouts.ALL:
            cases.check(
                f"{left.__name__} @ {right.__name__}",
                lambda left=left, right=right: assert_same(
                    left(x) @ right(y), x @ y, signed_zero=False
                ),
            )
    cases.finish()


VIEWS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::2],
    lambda a: a[:, ::2],
    lambda a: a[::-1],
    lambda a: a[:, 1:-1],
    lambda a: a[1:-1].T,
    lambda a: a[0],
    lambda a: a[:, 0],
    lambda a: a[:, ::-1].T,
    lambda a: a[None],
    lambda a: a[:0],
    lambda a: a[:1],
    lambda a: a[:, :1],
]


@pytest.mark.parametrize("dtype", ["float32", "complex128", "float16", "int8", "int64", "bool"])
@pytest.mark.parametrize("left", range(len(VIEWS)))
def test_views_of_both_operands(device, dtype, left):
    host = whole_numbers(dtype, (402, 402), 3)
    x = gpuarray.to_device(host)
    cases = Collector()
    for right in range(len(VIEWS)):
        a, b = VIEWS[left](host)[..., :300], VIEWS[right](host)
        b = b[:300] if b.ndim == 1 else b[..., : a.shape[-1], :7]
        if b.shape[0 if b.ndim == 1 else -2] != a.shape[-1]:
            continue
        a = a[-5:] if a.ndim == 2 else a
        ga = VIEWS[left](x)[..., :300]
        ga = ga[-5:] if ga.ndim == 2 else ga
        gb = VIEWS[right](x)
        gb = gb[:300] if gb.ndim == 1 else gb[..., : a.shape[-1], :7]
        cases.check(f"view {right}", check_product, ga, gb, a, b)
    cases.finish()


def check_product(x, y, a, b):
    assert_same(x @ y, np.asarray(reference(a, b)), signed_zero=False)


@pytest.mark.parametrize(
    "batches",
    [
        ((3,), ()),
        ((), (3,)),
        ((3,), (3,)),
        ((3, 1), (1, 4)),
        ((2, 3), (3,)),
        ((2, 1, 3), (5, 1)),
        ((0,), ()),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "sizes", [(2, 3, 300), (1, 4, 300), (5, 1, 300), (1, 1, 300), (2, 3, 4)], ids=str
)
def test_batches(device, batches, sizes):
    m, n, k = sizes
    a = whole_numbers("float64", (*batches[0], m, k), 1)
    b = whole_numbers("float64", (*batches[1], k, n), 2)
    for x, y in [(a, b), (np.swapaxes(a, -1, -2).copy().swapaxes(-1, -2), b)]:
        assert_same(gpuarray.to_device(x) @ gpuarray.to_device(y), x @ y, signed_zero=False)


def scaled(alpha, product, beta, out):
    return (alpha * product + (beta * out if beta else 0)).astype(out.dtype)


FACTORS = [(1, 0), (2, 0), (0, 0), (1, 1), (2, -1), (0, 3)]


@pytest.mark.parametrize("dtype", [d for d in DTYPES if kind(d) != "b"], ids=str)
@pytest.mark.parametrize("size", [3, 70])
def test_factors(device, dtype, size):
    a, b = whole_numbers(dtype, (size, 5 * size), 1), whole_numbers(dtype, (5 * size, size), 2)
    before = whole_numbers(dtype, (size, size), 3)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    computed = np.float32 if kind(dtype) == "f" and np.dtype(dtype).itemsize == 2 else dtype
    product = a.astype(computed) @ b.astype(computed)
    for alpha, beta in FACTORS:
        if kind(dtype) == "u" and beta < 0:
            continue
        out = gpuarray.to_device(before)
        assert gpuarray.matmul(x, y, out=out, alpha=alpha, beta=beta) is out
        factors = [np.asarray(factor).astype(computed) for factor in (alpha, beta)]
        expected = (factors[0] * product + factors[1] * before.astype(computed)).astype(dtype)
        assert_same(out, expected, signed_zero=False)


def test_factors_of_any_kind_of_out(device):
    a, b = whole_numbers("float64", (40, 300), 1), whole_numbers("float64", (300, 40), 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    whole = gpuarray.to_device(whole_numbers("float64", (90, 90), 3))
    for out in (
        whole[:40, :40],
        whole[:40, :40].T,
        whole[:80:2, 2:42],
        whole[:40, 2:82:2],
        whole[39::-1, :40],
        whole[:40, :40].astype("complex128"),
        whole[:40, :40].astype("float32"),
    ):
        expected = (2 * (a @ b) + 3 * out.get()).astype(out.dtype)
        gpuarray.matmul(x, y, out, alpha=2, beta=3)
        assert_same(out, expected, signed_zero=False)
        gpuarray.matmul(x, y, out)
        assert_same(out, (a @ b).astype(out.dtype), signed_zero=False)


@pytest.mark.parametrize("size", [4, 80])
def test_out_may_be_an_operand(device, size):
    a, b = whole_numbers("float64", (size, size), 1), whole_numbers("float64", (size, size), 2)
    y = gpuarray.to_device(b)
    for view in (lambda x: x, lambda x: x.T, lambda x: x[::-1]):
        x = gpuarray.to_device(a)
        gpuarray.matmul(x, y, out=view(x), alpha=2, beta=1)
        expected = a.copy()
        view(expected)[...] = 2 * (a @ b) + view(a)
        assert_same(x, expected, signed_zero=False)


def test_beta_zero_does_not_read_out(device):
    for size in (3, 80):
        x, out = gpuarray.ones((size, size)), gpuarray.full((size, size), np.nan)
        gpuarray.matmul(x, x, out=out, alpha=2.5, beta=0)
        assert (out == 2.5 * size).all()


def test_out_of_vectors(device):
    a, b = whole_numbers("float64", (6, 300), 1), whole_numbers("float64", (300, 5), 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    for ga, gb, ha, hb in [
        (x[0], y, a[0], b),
        (x, y[:, 1], a, b[:, 1]),
        (x[0], y[:, 1], a[0], b[:, 1]),
    ]:
        out = gpuarray.ones((ha @ hb).shape)
        gpuarray.matmul(ga, gb, out=out, alpha=2, beta=1)
        assert_same(out, np.asarray(2 * (ha @ hb) + 1), signed_zero=False)


def test_bad_factors(device):
    x, n = gpuarray.ones((2, 2), "float32"), gpuarray.ones((2, 2), "int8")
    out = gpuarray.ones((2, 2), "float32")
    with pytest.raises(TypeError, match="alpha of kind 'c'"):
        gpuarray.matmul(x, x, alpha=2j)
    with pytest.raises(TypeError, match="beta of kind 'f'"):
        gpuarray.matmul(n, n, n, beta=0.5)
    with pytest.raises(ValueError, match="beta needs out"):
        gpuarray.matmul(x, x, beta=1)
    with pytest.raises(TypeError, match="alpha: expected a number, got list"):
        gpuarray.matmul(x, x, alpha=[1])
    with pytest.raises(OverflowError, match="300"):
        gpuarray.matmul(n, n, alpha=300)
    with pytest.raises(ValueError, match=r"out has shape \(2,\)"):
        gpuarray.matmul(x, x, out[0])
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpuarray.matmul(x, x, out)


def test_long_sums_of_integers(device):
    for dtype in ("bool", "int8", "uint16", "int64"):
        a, b = whole_numbers(dtype, (3, 5000), 1), whole_numbers(dtype, (2, 5000, 1), 2)
        x, y = gpuarray.to_device(a), gpuarray.to_device(b)
        assert_same(x @ y, a @ b)
        assert_same(x[1] @ y[0, :, 0], np.asarray(a[1] @ b[0, :, 0]))
        assert_same(y.mT @ x.T, b.swapaxes(-1, -2) @ a.T)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("rows", [1, 3, 300])
def test_long_rows_times_a_vector(device, rows, dtype):
    a, b = whole_numbers(dtype, (rows, 2050), 1), whole_numbers(dtype, (2050,), 2)
    x, y = gpuarray.to_device(a), gpuarray.to_device(b)
    for key in (np.s_[:], np.s_[:, :2048], np.s_[:, 1:], np.s_[::-1], np.s_[::2, 2:]):
        count = a[key].shape[1]
        for part in (np.s_[:count], np.s_[2050 - count :]):
            expected = a[key] @ b[part]
            assert_same(x[key] @ y[part], expected)
    out = gpuarray.zeros((rows, 2), dtype)
    gpuarray.matmul(x, y, out[:, 1])
    assert_same(out, np.stack([np.zeros(rows, dtype), a @ b], 1))


def test_no_warning_of_what_overflows(device, recwarn):
    x = gpuarray.full((40, 40), np.float32(1e38))
    y = gpuarray.full((40, 40), np.inf)
    assert gpuarray.isinf(x @ x).all()
    assert gpuarray.isnan(y @ (y - y)).all()
    assert not [w for w in recwarn if "matmul" in str(w.message)]
