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


@pytest.mark.parametrize("function", [np.linalg.svd, np.fft.fft, np.sort, np.median])
def test_functions_that_are_not_there(device, function):
    with pytest.raises(TypeError, match=function.__name__):
        function(gpuarray.ones((2, 2)))


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
