# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""PyCUDA's modules of arrays: constructors, functions, kernels of texts and random numbers."""

import math

import numpy as np
import pytest

import gpuarray
from gpuarray.pycuda import cumath, curandom, scan, tools
from gpuarray.pycuda import driver as cuda
from gpuarray.pycuda import gpuarray as ga
from gpuarray.pycuda.elementwise import ElementwiseKernel
from gpuarray.pycuda.reduction import ReductionKernel


def test_the_constructor(device):
    x = ga.GPUArray((2, 3), np.float32)
    assert isinstance(x, gpuarray.GPUArray) and isinstance(x, ga.GPUArray)
    assert not isinstance(3, ga.GPUArray)
    assert (x.shape, x.dtype, x.strides) == ((2, 3), np.float32, (12, 4))
    assert ga.GPUArray(3, "int8").shape == (3,)
    assert ga.GPUArray((2, 3), np.float32, order="F").strides == (4, 8)
    assert ga.GPUArray((2, 3, 4), np.float32, strides=(16, 32, 4)).strides == (16, 32, 4)
    assert ga.GPUArray((), np.float32).shape == ()
    with pytest.raises(ValueError, match="not contiguous"):
        ga.GPUArray((2, 3), np.float32, strides=(16, 4))
    with pytest.raises(ValueError, match="'C' or 'F', got 'K'"):
        ga.GPUArray((2, 3), np.float32, order="K")


def test_memory_that_is_given(device):
    allocation = cuda.to_device(np.arange(6, dtype=np.int32))
    x = ga.GPUArray((2, 3), np.int32, gpudata=allocation)
    assert x.gpudata == int(allocation)
    allocation.free()
    assert x.get().tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="28 bytes do not fit into 24"):
        ga.GPUArray(7, np.int32, gpudata=cuda.mem_alloc(24))


@pytest.mark.cuda
def test_an_address_that_is_given(cuda):
    owner = gpuarray.arange(6, dtype="int32")
    x = ga.GPUArray((3, 2), np.int32, base=owner, gpudata=owner.gpudata, order="F")
    del owner
    assert x.get().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_allocators(device):
    pool = tools.DeviceMemoryPool()
    asked = []

    def allocate(nbytes):
        asked.append(nbytes)
        return pool.allocate(nbytes)

    host = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    arrays = [
        ga.empty((2, 3), np.int16, allocate),
        ga.zeros(4, allocator=allocate),
        ga.to_gpu(host, allocate),
        ga.empty(0, np.float32, cuda.mem_alloc),
    ]
    assert asked == [12, 32, 48]
    assert pool.active_bytes >= sum(asked)
    assert arrays[1].get().tolist() == [0] * 4
    assert arrays[2].strides == host.strides
    np.testing.assert_array_equal(arrays[2].get(), host)
    del arrays
    assert pool.active_bytes == 0


def test_creation(device):
    host = np.asfortranarray(np.ones((2, 3), np.float32))
    x = ga.to_gpu(host)
    assert x.strides == host.strides and x.get().tolist() == host.tolist()
    assert ga.zeros((2, 2)).dtype == np.float64
    assert ga.ones(3, np.int8, order="F").get().tolist() == [1, 1, 1]
    for like in (x, host):
        for make, value in ((ga.zeros_like, 0), (ga.ones_like, 1)):
            made = make(like, dtype=np.int32)
            assert made.strides == host.strides and made.dtype == np.int32
            assert (made.get() == value).all()
        assert ga.empty_like(like, order="C").flags.c_contiguous
    assert ga.arange(1, 7, 2, dtype=np.float32).get().tolist() == [1, 3, 5]
    assert ga.arange(3).dtype == np.arange(3).dtype


def test_transfers_on_a_stream(device):
    stream = cuda.Stream()
    host = cuda.pagelocked_empty(100, np.float32)
    host[:] = 3
    for allocator in (None, cuda.mem_alloc):
        x = ga.to_gpu_async(host, allocator, stream)
        stream.synchronize()
        assert x.get().tolist() == [3] * 100
    assert ga.arange(3, stream=stream).get().tolist() == [0, 1, 2]


def test_reductions(device):
    host = np.float32([[3, -1, 4], [1, 5, -9]])
    a, b = ga.to_gpu(host), ga.to_gpu(host.T.copy().T)
    indices = ga.to_gpu(np.int32([0, 4, 5]))
    stream = cuda.Stream()
    assert ga.sum(a).shape == () and ga.sum(a).get() == 3
    assert ga.sum(a, dtype=np.float64, stream=stream).dtype == np.float64
    assert ga.max(a).get() == 5 and ga.min(a, stream=stream).get() == -9
    assert ga.dot(a, b).get() == (host**2).sum()
    assert ga.dot(a, b, dtype=np.float64).dtype == np.float64
    assert ga.subset_sum(indices, a).get() == -1
    assert ga.subset_dot(indices, a, b, stream=stream).get() == 9 + 25 + 81
    assert ga.subset_max(indices, a).get() == 5 and ga.subset_min(indices, a).get() == -9
    assert ga.any(a > 4).get() and not ga.all(a > 4).get()


def test_elements(device):
    host = np.float32([-1, 0, 2])
    a, b = ga.to_gpu(host), ga.to_gpu(np.float32([5, 6, 7]))
    out = ga.empty_like(a)
    stream = cuda.Stream()
    assert ga.if_positive(a, b, a).get().tolist() == [-1, 0, 7]
    assert ga.where(a, b, a, out=out, stream=stream) is out
    assert out.get().tolist() == [5, 0, 7]
    assert ga.maximum(a, 0).get().tolist() == [0, 0, 2]
    assert ga.minimum(a, b, out=out, stream=stream) is out
    assert out.get().tolist() == [-1, 0, 2]
    assert ga.logical_and(a, b).get().tolist() == [True, False, True]
    assert ga.logical_or(a, 0).get().tolist() == [True, False, True]
    assert ga.logical_not(a).get().tolist() == [False, True, False]
    indices = ga.to_gpu(np.int32([2, 0]))
    assert ga.take(a, indices).get().tolist() == [2, -1]
    outputs = [ga.empty(2, np.float32), ga.empty(2, np.float32)]
    ga.multi_take([a, b], indices, outputs)
    assert [one.get().tolist() for one in outputs] == [[2, -1], [7, 5]]


def test_shapes(device):
    a = ga.arange(6)
    assert ga.reshape(a, 2, 3).shape == ga.reshape(a, (2, -1)).shape == (2, 3)
    assert ga.reshape(a, 2, 3, order="F").get()[1].tolist() == [1, 3, 5]
    assert ga.transpose(ga.reshape(a, 1, 2, 3)).shape == (3, 2, 1)
    assert ga.transpose(ga.reshape(a, 1, 2, 3), (1, 0, 2)).shape == (2, 1, 3)
    assert ga.concatenate([a, a]).shape == (12,)
    assert ga.stack([a, a], axis=1).shape == (6, 2)


@pytest.mark.parametrize("n", [1, 31, 256, 1000, 10**9])
def test_splay_covers_all_elements(device, n):
    grid, block = ga.splay(n)
    assert grid[0] >= 1 and 32 <= block[0] <= 256
    assert n > 1000 or math.prod(grid) * math.prod(block) >= min(n, 256)


def test_vector_types():
    assert ga.vec.float3 == np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    made = ga.vec.make_int2(3, -4)
    assert (made["x"], made["y"]) == (3, -4) and made.dtype == ga.vec.int2
    with pytest.raises(TypeError, match="make_int2: expected 2 numbers, got 1"):
        ga.vec.make_int2(3)
    for name in ("float5", "other3", "make_", "xy"):
        with pytest.raises(AttributeError, match=name):
            getattr(ga.vec, name)


UNARY = """
fabs ceil floor exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh
"""
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


@pytest.mark.parametrize("name", UNARY.split())
def test_unary_functions(device, name):
    host = np.linspace(0.1, 0.9, 9)
    x = ga.to_gpu(host)
    out = ga.empty_like(x)
    function = getattr(cumath, name)
    assert function(x, out=out, stream=cuda.Stream()) is out
    expected = getattr(np, NUMPY.get(name, name))(host)
    np.testing.assert_allclose(out.get(), expected, rtol=1e-14)
    np.testing.assert_array_equal(function(x).get(), out.get())
    assert function.__name__ == name and name in function.__doc__


def test_functions_of_parts(device):
    host = np.float32([-2.5, 0, 1, 3.75])
    x = ga.to_gpu(host)
    significand, exponent = cumath.frexp(x)
    assert exponent.dtype == np.float32
    for got, expected in zip((significand, exponent), np.frexp(host), strict=True):
        assert got.get().tolist() == expected.tolist()
    assert cumath.ldexp(significand, exponent, stream=cuda.Stream()).get().tolist() == host.tolist()
    assert cumath.ldexp(x, 2).get().tolist() == (host * 4).tolist()
    for got, expected in zip(cumath.modf(x), np.modf(host), strict=True):
        assert got.get().tolist() == expected.tolist()
    assert cumath.fmod(x, ga.to_gpu(np.float32([2] * 4))).get().tolist() == [-0.5, 0, 1, 1.75]


def test_elementwise_kernels(device):
    x = ga.arange(6, dtype=np.float32)
    y = ga.zeros_like(x)
    axpy = ElementwiseKernel("float *x, float a, float *y", "y[i] = a * x[i]", "axpy", keep=True)
    assert axpy(x, 2, y, stream=cuda.Stream()) is None
    assert y.get().tolist() == [0, 2, 4, 6, 8, 10]
    axpy(x, 3, y, slice=slice(0, 6, 2))
    assert y.get().tolist() == [0, 2, 6, 6, 12, 10]
    axpy(x, 5, y, range=slice(4, 6))
    assert y.get().tolist() == [0, 2, 6, 6, 20, 25]
    described = ElementwiseKernel(
        [tools.VectorArg(np.float32, "x"), tools.ScalarArg(np.int32, "k")],
        "x[i] = f(i, k)",
        preamble="#define K 3\n__device__ int f(int i, int k) { return i + K * k; }",
    )
    described(x, 2)
    assert x.get().tolist() == [6, 7, 8, 9, 10, 11]
    with pytest.raises(ValueError, match="expected a pointer"):
        ElementwiseKernel("float x", "x = 1")


def test_kernels_of_complex_numbers(device):
    z = ga.to_gpu(np.complex64([1 + 2j, 3 - 1j]))
    ElementwiseKernel("pycuda::complex<float> *z", "z[i] = z[i] * pycuda::complex<float>(0, 1)")(z)
    assert z.get().tolist() == [-2 + 1j, 1 + 3j]


def test_reduction_kernels(device):
    x, y = ga.arange(5, dtype=np.float32), ga.ones(5, np.float32)
    dot = ReductionKernel(
        np.float32, "0", "a+b", "x[i]*y[i]", arguments="const float *x, const float *y"
    )
    assert dot(x, y).shape == () and dot(x, y, stream=cuda.Stream()).get() == 10
    out = ga.empty((), np.float32)
    assert dot(x, y, out=out, allocator=None) is out and out.get() == 10
    largest = ReductionKernel(np.int32, "0", "a > b ? a : b", arguments=[tools.VectorArg("i", "x")])
    assert largest(ga.arange(7, dtype=np.int32)).get() == 6


def test_scan_kernels(device):
    x = ga.arange(1, 6, dtype=np.int32)
    y = ga.empty_like(x)
    scan.ExclusiveScanKernel(np.int32, "a+b", "0")(x, y)
    assert y.get().tolist() == [0, 1, 3, 6, 10]
    scan.InclusiveScanKernel(np.int32, "a*b")(x)
    assert x.get().tolist() == [1, 2, 6, 24, 120]


GENERATORS = [curandom.XORWOWRandomNumberGenerator, curandom.MRG32k3aRandomNumberGenerator]


@pytest.mark.parametrize("make", GENERATORS)
def test_random_numbers(device, make):
    generator = make(lambda n: gpuarray.full(n, 5, "int32"))
    stream = cuda.Stream()
    uniform = generator.gen_uniform((100, 100), np.float32, stream)
    normal = generator.gen_normal(10_000, np.float64, stream=stream)
    assert (uniform.shape, uniform.dtype, normal.dtype) == ((100, 100), np.float32, np.float64)
    assert uniform.get().min() >= 0 and uniform.get().max() < 1
    assert abs(uniform.get().mean() - 0.5) < 0.02
    assert abs(normal.get().mean()) < 0.05 and abs(normal.get().std() - 1) < 0.05
    log_normal = generator.gen_log_normal(10_000, np.float32, 1.5, 0.25).get()
    assert abs(np.log(log_normal).mean() - 1.5) < 0.02
    assert abs(np.log(log_normal).std() - 0.25) < 0.02
    poisson = generator.gen_poisson(10_000, np.uint32, 4.0)
    assert poisson.dtype == np.uint32 and abs(poisson.get().mean() - 4) < 0.1


def test_random_numbers_in_an_array(device):
    generator = GENERATORS[0]()
    x = ga.zeros((50, 20), np.float32)
    generator.fill_uniform(x)
    assert 0.4 < x.get().mean() < 0.6
    generator.fill_normal(x, stream=cuda.Stream())
    assert abs(x.get().mean()) < 0.2
    generator.fill_log_normal(x, 2.0, 0.1)
    assert abs(np.log(x.get()).mean() - 2) < 0.1
    counts = ga.zeros(1000, np.int32)
    generator.fill_poisson(counts, 3.0)
    assert abs(counts.get().mean() - 3) < 0.5


def test_seeds_of_random_numbers(device):
    def drawn(seed, offset=0):
        generator = GENERATORS[0](lambda n: np.full(n, seed), offset)
        return generator.gen_uniform(4, np.float32).get().tolist()

    assert drawn(3) == drawn(3) != drawn(4)
    assert drawn(3, 1) == drawn(3, 1) != drawn(3)
    assert len(set(curandom.seed_getter_uniform(5).get())) == 1
    assert len(set(curandom.seed_getter_unique(5).get())) == 5
    assert curandom.seed_getter_unique(5).dtype == np.int32


def test_rand(device):
    assert curandom.rand((3, 2)).dtype == np.float32
    assert curandom.rand(4, np.float64, stream=cuda.Stream()).dtype == np.float64
    integers = curandom.rand(10_000, np.int8)
    assert integers.dtype == np.int8
    assert (integers.get().min(), integers.get().max()) == (-128, 127)


def test_names_of_dtypes():
    names = {"u4": "unsigned int", "f8": "double", "c8": "complex<float>", "?": "bool"}
    for dtype, name in names.items():
        assert tools.dtype_to_ctype(dtype) == name
    assert tools.VectorArg("f4", "x").declarator() == "float *x"
    assert tools.ScalarArg("i2", "k").declarator() == "short k"
    with pytest.raises(ValueError, match="float16 has no name"):
        tools.dtype_to_ctype("f2")


def test_results_for_a_device_are_kept(device):
    calls = []

    @tools.context_dependent_memoize
    def square(x):
        calls.append(x)
        return x * x

    assert [square(3), square(3), square(2)] == [9, 9, 4]
    assert calls == [3, 2]
    tools.clear_context_caches()
    assert square(3) == 9 and calls == [3, 2, 3]


def test_the_default_context(device, monkeypatch):
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    context = tools.make_default_context()
    assert context.get_device().device == gpuarray.Device(device)
    context.pop()
    assert gpuarray.default_device() == gpuarray.Device(device)
