# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ScanKernel, and PyCUDA's InclusiveScanKernel and ExclusiveScanKernel, against NumPy."""

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import ExclusiveScanKernel, InclusiveScanKernel, ScanKernel

sums = ScanKernel("T x", "T y", "x", "a + b", name="sums")
before = ScanKernel("T x", "T y", "x", "a + b", identity=0, exclusive=True, name="before")
# Functions x -> 2 * p x + q modulo a prime, one after the other: not commutative.
LINES = """
__device__ long long compose(long long a, long long b) {
  const long long prime = 46337, p = a / prime * (b / prime) % prime;
  return p * prime + (b / prime * (a % prime) + b % prime) % prime;
}
"""
compose = ScanKernel("int64 x", "int64 y", "x", "compose(a, b)", preamble=LINES, name="compose")


def numbers(shape, dtype="int64", seed=0):
    return np.random.default_rng([seed, *shape]).integers(-9, 10, shape).astype(dtype)


def exclusive(host, axis=0):
    return np.cumsum(host, axis, dtype=host.dtype) - host


@pytest.mark.parametrize("length", [0, 1, 2, 31, 512, 513, 4097, 70_001, 140_000])
def test_lengths(device, length):
    host = numbers((length,), "int32")
    x = gpuarray.to_device(host)
    assert_same(sums(x), np.cumsum(host, dtype="int32"))
    assert_same(before(x), exclusive(host))


@pytest.mark.parametrize("length", [100, 9000])
def test_order(device, length):
    prime = 46337
    host = np.random.default_rng(0).integers(0, prime * prime, length)
    expected, p, q = [], 1, 0
    for value in host.tolist():
        p, q = p * (value // prime) % prime, (value // prime * q + value % prime) % prime
        expected.append(p * prime + q)
    assert_same(compose(gpuarray.to_device(host)), np.array(expected))


@pytest.mark.parametrize("layout", layouts.ALL, ids=lambda layout: layout.__name__)
def test_axes_and_layouts(device, layout):
    host = numbers((4, 30, 6))
    for axis in (0, 1, 2, -1):
        assert_same(sums(layout(host), axis=axis), np.cumsum(host, axis))
        assert_same(before(layout(host), axis=axis), exclusive(host, axis))


@given(data=st.data())
def test_mapped_and_broadcast(device, data):
    rows, columns = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 600))
    x, y = numbers((rows, columns)), numbers((columns,), "int32", 1)
    kernel = ScanKernel(
        "T x, S y, T k", "float64 z", "x * y + k + i", "a + b", "z = 2 * a", scan_type="T"
    )
    mapped = x * y + 5 + np.arange(x.size).reshape(x.shape)
    for axis in (0, 1):
        got = kernel(gpuarray.to_device(x), gpuarray.to_device(y), 5, axis=axis)
        assert_same(got, np.cumsum(mapped, axis) * 2.0)


def test_out(device):
    host = numbers((5, 700))
    x = gpuarray.to_device(host)
    out = gpuarray.zeros((5, 1400), "float64")
    sums(x, out=out[:, ::2], axis=1)
    assert_same(out[:, ::2], np.cumsum(host, 1).astype(float))
    assert not out[:, 1::2].any()
    assert sums(x, out=x, axis=1) is x
    assert_same(x, np.cumsum(host, 1))
    flipped = gpuarray.to_device(host)
    sums(flipped[:, ::-1], out=flipped, axis=1)
    assert_same(flipped, np.cumsum(host[:, ::-1], 1))


def test_pycuda_spelling(device):
    host = numbers((300, 40), "int32")
    flat = host.ravel()
    x = gpuarray.to_device(host)
    inclusive = InclusiveScanKernel(np.int32, "a+b")
    out = gpuarray.empty_like(x)
    assert inclusive(x, out) is out
    assert_same(out, np.cumsum(flat, dtype="int32").reshape(host.shape))
    assert_same(x, host)
    kernel = ExclusiveScanKernel(np.int32, "a+b", neutral="0")
    assert kernel(x, n=100) is x
    expected = flat.copy()
    expected[:100] = exclusive(flat[:100])
    assert_same(x, expected.reshape(host.shape))
    with pytest.raises(ValueError, match="contiguous"):
        inclusive(x.T)
    with pytest.raises(ValueError, match="needs an identity"):
        ExclusiveScanKernel(np.int32, "a+b")


def test_streams_and_graphs(device):
    host = numbers((20_000,))
    x = gpuarray.to_device(host)
    assert_same(sums(x, stream=gpuarray.Stream()), np.cumsum(host))
    graph = gpuarray.graph(lambda a: sums(a))(x)
    x += 1
    graph.launch()
    assert_same(graph.result, np.cumsum(host + 1))


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (TypeError, "sums: expected 1 arguments, got 3", lambda x: sums(x, x, x)),
        (np.exceptions.AxisError, "axis 2", lambda x: sums(x, axis=2)),
        (ValueError, "along one axis", lambda x: sums(x, axis=(0, 1))),
        (ValueError, "along one axis", lambda x: sums(x[0, 0])),
        (ValueError, "out has shape", lambda x: sums(x, out=gpuarray.empty(2))),
        (
            ValueError,
            "needs an identity",
            lambda x: ScanKernel("T x", "T y", "x", "a", exclusive=1),
        ),
    ],
)
def test_errors(device, error, match, call):
    with pytest.raises(error, match=match):
        call(gpuarray.ones((2, 3)))
