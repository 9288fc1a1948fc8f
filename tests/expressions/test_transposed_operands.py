# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Transposed and permuted operands of users' expressions and of fused functions, against NumPy."""

import itertools

import numpy as np
import pytest
from _support import layouts
from _support.compare import assert_same
from _support.samples import ordinary

import gpuarray
from gpuarray import ElementwiseKernel

ADD = ElementwiseKernel("T x, T y", "T z", "z = x + 2 * y", "add_twice")
BOTH = ElementwiseKernel("T x, S y, T a", "T total, S kept", "total = a * x; kept = y;", "both")
COUNT = ElementwiseKernel("T x, T y", "raw int32 c", "atomicAdd(&c[x == y], 1)", no_return=True)
INDEX = ElementwiseKernel("T x, T y", "int64 z", "z = i + int64_t(x - y)", "index")
# Tiles of 32 x 32 that are full, cut along each axis, and as narrow as tiles may be.
SHAPES = [(64, 96), (33, 70), (16, 100), (100, 17), (8, 64)]


def small(shape, dtype, seed):
    """Integers that every dtype holds, so that sums are exact."""
    return np.asarray(ordinary(np.dtype("int8"), shape, seed) % 8, dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_a_transposed_operand(device, dtype, shape):
    x, y = small(shape, dtype, 0), small(shape, dtype, 1)
    for one, other in ((x, layouts.transposed(y)), (layouts.transposed(x), y)):
        result = ADD(gpuarray.asarray(one), gpuarray.asarray(other))
        assert_same(result, np.asarray(x + 2 * y, dtype))


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_permuted_operands(device, axes):
    x, on_x = layouts.permuted(np.dtype("int32"), (20, 34, 40), (0, 1, 2))
    y, on_y = layouts.permuted(np.dtype("int32"), (20, 34, 40), axes, seed=1)
    assert_same(ADD(on_x, on_y), x + 2 * y)
    assert_same(ADD(on_x[::-1, 1:], on_y[::-1, 1:]), (x + 2 * y)[::-1, 1:])


def test_permuted_operands_of_many_axes(device):
    shape = (2, 3, 17, 2, 18)
    x, on_x = layouts.permuted(np.dtype("float32"), shape, (0, 1, 2, 3, 4))
    y, on_y = layouts.permuted(np.dtype("float32"), shape, (3, 4, 0, 2, 1), seed=1)
    assert_same(ADD(on_x, on_y), x + 2 * y)


def test_operands_that_are_broadcast_beside_transposed_ones(device):
    x, y = small((48, 80), "float32", 0), small((80, 48), "float32", 1)
    on_y = gpuarray.to_device(y).T
    total, kept = BOTH(gpuarray.to_device(x[0]), on_y, 3)
    assert_same(total, np.broadcast_to(3 * x[0], x.shape))
    assert_same(kept, y.T)
    total, kept = BOTH(gpuarray.to_device(x), gpuarray.full((1, 1), 5, "float32").T, 3)
    assert_same(kept, np.full((48, 80), 5, "float32"))


@pytest.mark.parametrize("turned", list(itertools.product((False, True), repeat=4)))
def test_given_outputs_of_any_order(device, turned):
    shape = (40, 50)
    x, y = small(shape, "int32", 0), small(shape, "float64", 1)
    arrange = [layouts.transposed if each else layouts.contiguous for each in turned]
    total, kept = (
        make(np.zeros(shape, dtype))
        for make, dtype in zip(arrange[2:], ("int32", "float64"), strict=True)
    )
    BOTH(arrange[0](x), arrange[1](y), 3, total, kept)
    assert_same(total, 3 * x)
    assert_same(kept, y)


def test_every_element_is_visited_once(device):
    for shape in SHAPES:
        x = small(shape, "int32", 0)
        counts = gpuarray.zeros(2, "int32")
        COUNT(gpuarray.to_device(x), layouts.transposed(small(shape, "int32", 1)), counts)
        equal = int(np.sum(x == small(shape, "int32", 1)))
        assert_same(counts, np.array([x.size - equal, equal], "int32"))


def test_an_array_with_its_own_transpose_in_place(device):
    host = small((70, 70), "float32", 0)
    x = gpuarray.to_device(host)
    ADD(x, x.T, out=x)
    assert_same(x, host + 2 * host.T)


def test_the_index_counts_in_c_order(device):
    x = small((40, 50), "int64", 0)
    expected = np.arange(x.size).reshape(x.shape)
    assert_same(INDEX(gpuarray.to_device(x), layouts.transposed(x)), expected)


def test_texts_before_and_after_the_loop(device):
    kernel = ElementwiseKernel(
        "T x, T y", "T z", "z = x + y + one", loop_prep="const T one = 1;", after_loop="(void)one;"
    )
    x, y = small((40, 50), "int32", 0), small((40, 50), "int32", 1)
    assert_same(kernel(gpuarray.to_device(x), layouts.transposed(y)), x + y + 1)


@pytest.mark.parametrize("dtype", ["bool", "float64"])
@pytest.mark.parametrize("count", [5, 12, 20])
def test_many_operands(device, count, dtype):
    names = [f"x{k}" for k in range(count)]
    operation = "z = " + (" ^ " if dtype == "bool" else " + ").join(names)
    kernel = ElementwiseKernel(", ".join(f"T {name}" for name in names), "T z", operation)
    hosts = [small((40, 33), dtype, k % 4) for k in range(count)]
    arrange = [layouts.transposed if k in (1, 3) else layouts.contiguous for k in range(count)]
    result = kernel(*(make(host) for make, host in zip(arrange, hosts, strict=True)))
    expected = hosts[0]
    for host in hosts[1:]:
        expected = expected ^ host if dtype == "bool" else expected + host
    assert_same(result, expected)


def test_fused_functions(device):
    @gpuarray.fuse
    def fused(x, y, z):
        return x + 2 * y, gpuarray.maximum(y, z) - x

    x = small((20, 30, 40), "float32", 0)
    y, on_y = layouts.permuted(np.dtype("float32"), (20, 30, 40), (2, 0, 1), seed=1)
    z, on_z = layouts.permuted(np.dtype("float32"), (20, 30, 40), (2, 1, 0), seed=2)
    results = fused(gpuarray.to_device(x), on_y, on_z)
    assert_same(results[0], x + 2 * y)
    assert_same(results[1], np.maximum(y, z) - x)
    assert_same(fused(gpuarray.to_device(x.T).T, on_y, on_z[:1])[1], np.maximum(y, z[:1]) - x)
