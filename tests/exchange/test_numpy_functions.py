# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""NumPy's functions on GPUArrays: __array_ufunc__ and __array_function__."""

import numpy as np
import pytest
from _support.compare import assert_close, assert_same
from _support.samples import ordinary
from _support.tables import BINARY, UNARY, expected_or_error

import gpuarray

UFUNCS = [op for op in [*UNARY, *BINARY] if isinstance(getattr(np, op.name, None), np.ufunc)]


@pytest.mark.parametrize("op", UFUNCS, ids=str)
def test_every_ufunc_runs_on_the_device(device, op):
    dtype = np.float64
    if expected_or_error(op.numpy, *[np.ones(1)] * op.arity) is TypeError:
        dtype = np.int32
    hosts = [np.abs(ordinary(dtype, (3, 4), seed)) + dtype(1) for seed in range(op.arity)]
    arrays = [gpuarray.to_device(host) for host in hosts]
    got = getattr(np, op.name)(*arrays)
    assert isinstance(got, gpuarray.GPUArray)
    assert got.device == device
    assert_same(got, op.gpu(*arrays).get())


def test_ufuncs_with_scalars_and_out(device):
    x = gpuarray.ones(3, np.float32)
    assert np.add(x, 1).dtype == np.float32
    assert np.add(1, x).tolist() == [2, 2, 2]
    assert np.multiply(np.float64(2), x).dtype == np.float64
    out = gpuarray.empty(3, np.float32)
    assert np.exp(x, out=out) is out
    assert np.add(x, x, out) is out
    assert out.tolist() == [2, 2, 2]
    assert np.add(x, x, dtype=np.float64).dtype == np.float64


def test_none_is_no_operand(device):
    x = gpuarray.ones(3)
    for options in ({}, {"dtype": np.float32}, {"where": x > 0}):
        with pytest.raises(TypeError, match="add: got GPUArray and NoneType"):
            np.add(x, None, **options)


def test_refused_casts_of_python_scalars(device):
    """With which NumPy's own look-up of the loop crashes."""
    host = np.ones(2, bool)
    x = gpuarray.to_device(host)
    for ufunc in (np.add, np.multiply, np.left_shift):
        with pytest.raises(TypeError, match=r"Cannot cast ufunc .* input 0"):
            ufunc(x, 1, dtype=np.int8, casting="equiv")
        assert_same(
            ufunc(x, 1, dtype=np.int8, casting="safe"),
            ufunc(host, 1, dtype=np.int8, casting="safe"),
        )
    with pytest.raises(TypeError, match=r"Cannot cast ufunc .* input 0"):
        np.true_divide(x, 1, casting="equiv")
    for scalar, dtype in ((1, bool), (1j, np.int32), (2.5, np.int8)):
        with pytest.raises(TypeError, match=r"Cannot cast ufunc .* input 1"):
            np.multiply(x, scalar, dtype=dtype)


def test_reductions_refuse_what_numpy_refuses(device):
    x = gpuarray.ones((2, 3))
    with pytest.raises(ValueError, match=r"out has shape \(3,\), expected \(\)"):
        np.add.reduce(x, axis=None, initial=1, out=gpuarray.zeros(3))
    with pytest.raises(TypeError, match="dtype must be bool, got"):
        np.logical_or.reduce(x, dtype=np.float32)
    assert np.logical_or.reduce(x, dtype=bool).tolist() == [True] * 3


def test_size(device):
    x = gpuarray.ones((2, 3))
    assert (np.size(x), np.size(x, 1), np.size(x, -2)) == (6, 3, 2)
    with pytest.raises(IndexError):
        np.size(x, 2)


def test_numpy_scalars_on_the_left(device):
    x = gpuarray.to_device(np.array([1, 2], np.float32))
    for got in (np.float32(3) - x, np.float32(3) / x, np.int8(2) ** x, np.float64(1) < x):
        assert isinstance(got, gpuarray.GPUArray)
    assert (np.float32(3) - x).tolist() == [2, 1]


def test_reduce(device):
    host = ordinary(np.int64, (3, 4))
    x = gpuarray.to_device(host)
    assert_same(np.add.reduce(x), np.add.reduce(host))
    assert_same(np.add.reduce(x, axis=None), np.asarray(np.add.reduce(host, axis=None)))
    assert_same(np.maximum.reduce(x, axis=1), np.maximum.reduce(host, axis=1))
    assert_same(np.multiply.reduce(x, axis=(0, 1)), np.asarray(host.prod()))
    assert_same(
        np.logical_or.reduce(x, axis=1, keepdims=True),
        np.logical_or.reduce(host, axis=1, keepdims=True),
    )


def test_ufuncs_made_by_users_are_refused(device):
    with pytest.raises(TypeError, match="not implemented"):
        np.frompyfunc(lambda v: v, 1, 1)(gpuarray.ones(3))


@pytest.mark.parametrize(
    "mix",
    [
        lambda x, a: np.add(x, a),
        lambda x, a: np.add(a, x),
        lambda x, a: a + x,
        lambda x, a: x + a,
        lambda x, a: a < x,
        lambda x, a: x == a,
        lambda x, a: a @ x,
        lambda x, a: np.concatenate([x, a]),
        lambda x, a: np.where(a > 0, x, x),
        lambda x, a: np.exp(x, out=a),
        lambda x, a: gpuarray.add(x, a),
    ],
)
def test_host_arrays_in_the_mix_are_refused(device, mix):
    with pytest.raises(TypeError, match="to_device"):
        mix(gpuarray.ones(3), np.ones(3))


def test_zero_dimensional_host_arrays_are_scalars(device):
    got = np.add(gpuarray.ones(3, np.float32), np.array(2.0, np.float32))
    assert got.tolist() == [3, 3, 3]


FUNCTIONS = [
    lambda xp, x: xp.concatenate([x, x]),
    lambda xp, x: xp.concatenate((x, x), axis=1),
    lambda xp, x: xp.stack([x, x], axis=-1),
    lambda xp, x: xp.where(x > 0, x, -x),
    lambda xp, x: xp.sum(x),
    lambda xp, x: xp.sum(x, axis=1, keepdims=True),
    lambda xp, x: xp.prod(x, axis=0),
    lambda xp, x: xp.max(x, axis=0),
    lambda xp, x: xp.min(x),
    lambda xp, x: xp.any(x > 0, axis=1),
    lambda xp, x: xp.all(x > -100),
    lambda xp, x: xp.argmax(x, axis=0),
    lambda xp, x: xp.argmin(x),
    lambda xp, x: xp.clip(x, -1, 1),
    lambda xp, x: xp.reshape(x, (4, 3)),
    lambda xp, x: xp.reshape(x, -1, order="F"),
    lambda xp, x: xp.ravel(x),
    lambda xp, x: xp.transpose(x),
    lambda xp, x: xp.swapaxes(x, 0, 1),
    lambda xp, x: xp.expand_dims(x, 0),
    lambda xp, x: xp.squeeze(xp.expand_dims(x, 0)),
    lambda xp, x: xp.zeros_like(x),
    lambda xp, x: xp.ones_like(x, dtype=np.int8),
    lambda xp, x: xp.full_like(x, 7),
    lambda xp, x: xp.dot(x, x.T),
    lambda xp, x: xp.matmul(x, x.T),
    lambda xp, x: xp.copy(x),
    lambda xp, x: xp.sum(x, where=x > 0),
    lambda xp, x: xp.sum(x, axis=1, initial=5, where=x > 0, keepdims=True),
    lambda xp, x: xp.prod(x, axis=0, dtype=xp.float32, initial=2),
    lambda xp, x: xp.max(x, axis=0, initial=0, where=x < 0),
    lambda xp, x: xp.amin(x, initial=-9),
    lambda xp, x: xp.any(x > 0, axis=1, where=x < 2),
    lambda xp, x: xp.all(x > 0, where=x > 0),
    lambda xp, x: xp.matrix_transpose(x),
    lambda xp, x: xp.permute_dims(x, (1, 0)),
    lambda xp, x: xp.astype(x, xp.int8),
    lambda xp, x: xp.reshape(x, (2, 6), copy=True),
    lambda xp, x: xp.concat([x, x], casting="same_kind"),
    lambda xp, x: xp.moveaxis(x, 0, 1),
    lambda xp, x: xp.angle(x),
    lambda xp, x: xp.real(x),
    lambda xp, x: xp.imag(x),
    lambda xp, x: xp.zeros((2, 3), like=x),
    lambda xp, x: xp.ones(3, dtype=xp.int8, like=x),
    lambda xp, x: xp.full(3, 7, like=x),
    lambda xp, x: xp.arange(5, like=x),
    lambda xp, x: xp.arange(1, 5, 2, like=x),
    lambda xp, x: xp.eye(3, k=1, like=x),
    lambda xp, x: xp.identity(2, like=x),
    lambda xp, x: xp.array([[1, 2], [3, 4]], like=x),
    lambda xp, x: xp.asarray([1.5, 2], dtype=xp.float32, like=x),
    lambda xp, x: xp.asanyarray(x, like=x),
    lambda xp, x: xp.ascontiguousarray([1, 2], like=x),
    lambda xp, x: xp.asfortranarray([[1, 2], [3, 4]], like=x),
    lambda xp, x: xp.empty((2, 0), like=x),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_functions_run_on_the_device(device, number):
    function = FUNCTIONS[number]
    host = np.random.default_rng(0).integers(-3, 4, (3, 4)).astype(np.float64)
    got, expected = function(np, gpuarray.to_device(host)), np.asarray(function(np, host))
    assert isinstance(got, gpuarray.GPUArray)
    assert got.device == device
    assert_same(got, expected, signed_zero=False)


def test_mean_runs_on_the_device(device):
    host = ordinary(np.float64, (3, 4))
    got = np.mean(gpuarray.to_device(host), axis=1)
    assert isinstance(got, gpuarray.GPUArray)
    assert_close(got, host.astype(np.longdouble).mean(axis=1), np.float64, ulps=4)


def test_attributes_that_numpy_asks_for(device):
    x = gpuarray.ones((2, 3))
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2
    assert np.size(x) == 6
    assert np.iscomplexobj(gpuarray.ones(2, complex))
    assert np.isrealobj(x)
    assert np.result_type(x, np.complex64) == np.complex128
    assert np.result_type(gpuarray.ones(1, np.int8), 3) == np.int8
    assert np.can_cast(x.dtype, np.float32, "same_kind")
    assert np.array_repr(x) == repr(x)


def test_array_equal(device):
    host = np.array([1.0, np.nan])
    x = gpuarray.to_device(host)
    for equal_nan in (False, True):
        assert np.array_equal(x, x + 0, equal_nan=equal_nan) is np.array_equal(
            host, host + 0, equal_nan=equal_nan
        )
    assert np.array_equal(gpuarray.ones(3), gpuarray.ones(3, np.int8))
    assert not np.array_equal(gpuarray.ones(3), gpuarray.ones((1, 3)))


def test_copyto(device):
    def fill(xp, convert):
        a = convert(np.zeros((2, 3), np.int16))
        np.copyto(a, convert(np.array([1, 2, 3], np.int8)))
        np.copyto(a, 9, where=convert(np.array([True, False, False])))
        np.copyto(a, convert(np.full(3, 2.7)), casting="unsafe", where=a == 2)
        return a

    assert_same(fill(gpuarray, gpuarray.to_device), fill(np, lambda a: a))
    x = gpuarray.zeros(3, np.int8)
    with pytest.raises(TypeError, match="copyto"):
        np.copyto(x, gpuarray.ones(3))
    with pytest.raises(TypeError, match="to_device"):
        np.copyto(x, np.ones(3, np.int8))
    with pytest.raises(TypeError, match=r"copyto: .* write src\.get\(out=dst\)"):
        np.copyto(np.ones(3), gpuarray.ones(3))


def test_arguments_that_are_not_there_are_named(device):
    x = gpuarray.ones((2, 3))
    for name, call in {
        "sum": lambda: np.sum(x, out=np.zeros(())),
        "clip": lambda: np.clip(x, 0, 1, where=np.ones(3, int)),
        "mean": lambda: np.mean(x, where=np.ones(3, int)),
        "concatenate": lambda: np.concatenate([x, np.ones(3)]),
    }.items():
        with pytest.raises(TypeError, match=name):
            call()
    with pytest.raises(ValueError, match="copy=False"):
        np.reshape(x.T, 6, copy=False)


def test_functions_that_are_not_there(device):
    with pytest.raises(TypeError, match=r"log: not implemented for GPUArrays"):
        np.emath.log(gpuarray.ones((2, 2)))


def test_unknown_operands_get_their_turn(device):
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "other", ufunc.__name__

    assert np.add(gpuarray.ones(2), Other()) == ("other", "add")


def test_two_results_with_out(device):
    host = np.array([2.5, -3.25, 0.0])
    x = gpuarray.to_device(host)
    for name, args in (("divmod", (2.0,)), ("frexp", ()), ("modf", ())):
        expected = getattr(np, name)(host, *args)
        out = tuple(gpuarray.empty(3, part.dtype) for part in expected)
        got = getattr(gpuarray, name)(x, *args, out=out)
        assert got[0] is out[0] and got[1] is out[1]
        for part, wanted in zip(out, expected, strict=True):
            assert_same(part, wanted)


@pytest.mark.parametrize(
    "shapes", [((2, 3, 0), (0, 4)), ((2, 3, 4), (5, 4, 6)), ((2, 3), (3,))], ids=str
)
def test_dot_of_any_dimensions(device, shapes):
    a, b = (ordinary(np.int64, shape, seed) for seed, shape in enumerate(shapes))
    assert_same(gpuarray.dot(*map(gpuarray.to_device, (a, b))), np.dot(a, b))


def test_where_with_a_condition_alone(device):
    host = ordinary(np.int64, (3, 4)) > 0
    x = gpuarray.to_device(host)
    for got, expected in zip(np.where(x), np.where(host), strict=True):
        assert_same(got, expected)
    assert len(gpuarray.where(x, stream=gpuarray.Stream())) == 2
    with pytest.raises(ValueError, match="either both or neither"):
        gpuarray.where(x, 1)
    with pytest.raises(TypeError, match="out"):
        gpuarray.where(x, out=x)


def test_mixed_arguments_name_both_ways_out(device):
    a, host = gpuarray.arange(3), np.arange(3)
    for name, call in {
        "searchsorted": lambda: np.searchsorted(host, a),
        "interp": lambda: np.interp(host, a, a),
        "cross": lambda: np.cross(a, host),
        "concatenate": lambda: np.concatenate([a, a], out=host),
    }.items():
        message = rf"{name}: .*to_device.*numpy.{name} ndarrays alone, a.get\(\) for a GPUArray"
        with pytest.raises(TypeError, match=message):
            call()


def test_a_histogram_of_the_host_reads_edges_of_the_device(device):
    host, edges = np.arange(9.0), gpuarray.to_device([0.0, 2.0, 9.0])
    counts, made = np.histogram(a=host, bins=edges, weights=gpuarray.to_device(host))
    assert type(counts) is np.ndarray
    assert type(made) is np.ndarray
    assert counts.tolist() == [1, 35]
