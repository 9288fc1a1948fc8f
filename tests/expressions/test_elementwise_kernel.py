# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""ElementwiseKernel: users' C++ over broadcast arrays of any layout, against NumPy."""

import functools
import gc
import os
import threading
import weakref

import numpy as np
import pytest
from _support import layouts
from _support import strategies as own
from _support.compare import assert_same
from _support.layouts import pair
from hypothesis import given
from hypothesis import strategies as st

import gpuarray
from gpuarray import ElementwiseKernel

# Compiled once each: the host's compiler takes a second.
AXPY = ElementwiseKernel("T x, T y, T a", "T z", "z = a * x + y", "axpy")
SPLIT = ElementwiseKernel(
    "float32 x, int16 y", "int64 at, float64 sum", "at = i; sum = double(x) + y;", "split"
)
POSITIVE = ElementwiseKernel("T x", "T y", "if (x > 0) y = x;", "positive")
GATHER = ElementwiseKernel("raw T x, S j", "T y", "y = x[j] + T(x.size())", "gather")
layout = st.sampled_from(layouts.ALL)


def laid_out(data, host):
    """A device array of the host's elements, in any layout."""
    return data.draw(layout if host.ndim else st.just(layouts.contiguous))(host)


@given(st.data())
def test_broadcast_and_strides(device, data):
    shape = data.draw(own.shapes(max_dims=5, max_side=4))
    dtype = data.draw(st.sampled_from(["int32", "float32", "uint8"]))
    hosts = []
    for _ in range(2):  # small integers: exact, whether or not the compiler contracts
        host = data.draw(own.arrays(data.draw(own.broadcastable(shape)), np.dtype("int8")))
        hosts.append(host.astype(dtype))
    x, y = (laid_out(data, host) for host in hosts)
    a = data.draw(st.integers(0, 3))
    expected = np.asarray(hosts[0] * np.asarray(a, dtype) + hosts[1], dtype)
    assert_same(AXPY(x, y, a), expected)


@pytest.mark.parametrize("shape", [(1,), (7,), (4096,), (5, 1030), (64, 33), (3, 1, 300)])
@pytest.mark.parametrize("arrange", layouts.ALL)
def test_several_outputs_of_other_dtypes_and_the_index(device, arrange, shape):
    x = np.random.default_rng(1).random(shape, dtype="float32")
    y = np.arange(x.size, dtype="int16").reshape(shape)
    at, total = SPLIT(arrange(x), arrange(y))
    assert_same(at, np.arange(x.size).reshape(shape))
    assert_same(total, x.astype("float64") + y)


def test_results_have_the_order_of_the_inputs(device):
    x = gpuarray.zeros((3, 4), "float32").T
    assert AXPY(x, x, 1).strides == x.strides
    assert AXPY(x, gpuarray.zeros(3, "float32"), 1).strides == x.strides


def test_new_outputs_begin_as_zero_and_given_ones_as_they_are(device):
    for size in (5, 1000):
        host = np.arange(size, dtype="float32") - size // 2
        x = gpuarray.to_device(host)
        assert_same(POSITIVE(x), np.maximum(host, 0))
        out = gpuarray.full(size, 7, "float32")
        assert POSITIVE(x, out) is out
        assert_same(out, np.where(host > 0, host, 7))
        assert POSITIVE(x[::-1], out=out[::-1]).shape == (size,)
    rows = gpuarray.full((6, 8), 7, "float32")
    POSITIVE(gpuarray.to_device(np.tile([1, -1], 24).reshape(6, 8).astype("float32")), rows[:, :])
    assert_same(rows, np.tile([1, 7], 24).reshape(6, 8).astype("float32"))


@given(st.data())
def test_outputs_may_overlap_inputs(device, data):
    shape = data.draw(st.sampled_from([(9,), (300,), (3, 8)]))
    size = int(np.prod(shape))
    host = np.arange(2 * size + 10, dtype="int32")
    memory = gpuarray.to_device(host)
    windows = []
    for _ in range(3):
        start = data.draw(st.integers(0, 9))
        step = data.draw(st.sampled_from([1, 2, -1]))
        windows.append(
            [
                whole[start : start + size * abs(step)][::step].reshape(shape)
                for whole in (host, memory)
            ]
        )
    (x, on_x), (y, on_y), (z, on_z) = windows
    z[...] = 2 * x + y
    AXPY(on_x, on_y, 2, on_z)
    assert_same(memory, host)


def test_in_place_update(device):
    host = np.arange(1000, dtype="float32")
    x = gpuarray.to_device(host)
    AXPY(x, x, 2, out=x)
    assert_same(x, 3 * host)


def test_raw_arrays_of_any_strides(device):
    host = np.arange(60, dtype="float32").reshape(5, 3, 4)
    order = np.random.default_rng(0).permutation(60).astype("int32")
    for arrange in layouts.ALL:
        result = GATHER(arrange(host), gpuarray.to_device(order))
        assert_same(result, host.ravel()[order] + np.float32(60))


def test_raw_positions_and_shape(device):
    transpose = ElementwiseKernel(
        "raw T x",
        "T y",
        "const int64_t rows = x.shape()[0]; y = x.at(i % rows, i / rows);",
        "turn",
    )
    host = np.arange(12, dtype="int32").reshape(3, 4)
    out = gpuarray.zeros((4, 3), "int32")
    assert_same(transpose(gpuarray.to_device(host), out), host.T)
    assert_same(transpose(gpuarray.to_device(host), size=12), host.T.ravel())
    assert_same(transpose(gpuarray.to_device(host)[:, ::2], size=6), host[:, ::2].T.ravel())


def test_raw_outputs(device):
    count = ElementwiseKernel(
        "T x", "raw int32 bins", "atomicAdd(&bins[x % 4], 1)", "count", no_return=True
    )
    host = np.random.default_rng(0).integers(0, 100, 1000).astype("int32")
    bins = gpuarray.zeros(4, "int32")
    assert count(gpuarray.to_device(host), bins) is None
    assert_same(bins, np.bincount(host % 4, minlength=4).astype("int32"))


def test_many_operands(device):
    names = [f"x{k}" for k in range(16)]
    outputs = [f"y{k}" for k in range(6)]
    kernel = ElementwiseKernel(
        ", ".join(f"float32 {name}" for name in names),
        ", ".join(f"float32 {name}" for name in outputs),
        "; ".join(f"{name} = {' + '.join(names)} + {k}" for k, name in enumerate(outputs)),
        "many",
    )
    hosts = [np.full((3, 100), k, "float32") for k in range(16)]
    total = functools.reduce(np.add, hosts)
    for arrange in (layouts.contiguous, layouts.strided, layouts.inner):
        results = kernel(*map(arrange, hosts))
        for k, result in enumerate(results):
            assert_same(result, total + np.float32(k))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "complex128"])
def test_dtypes_in_the_text(device, dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    copy = ElementwiseKernel("T x", "T y", "y = x", "duplicate")
    host, x = pair(gpuarray.empty(0, dtype).dtype, (37, 5))
    assert_same(copy(x), host)
    assert_same(copy(x[:, 1:4]), host[:, 1:4])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_arithmetic_of_halves(device, dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    kernel = ElementwiseKernel(
        "T x, T y",
        "T z, bool less, float32 root",
        "T sum = x + y; z = sum; z = x < 0 ? T(2) : z; less = x < y; root = sqrtf(fabsf(x) + 1);",
        "halves",
    )
    x = gpuarray.to_device(np.linspace(-3, 5, 100, dtype="float32")).astype(dtype)
    y = x[::-1]
    z, less, root = kernel(x, y)
    assert_same(z, gpuarray.where(x < 0, 2, x + y).get())
    assert_same(less, (x < y).get())
    assert_same(root, gpuarray.sqrt(gpuarray.fabs(x.astype("float32")) + 1).get())


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_arithmetic_of_complex_numbers(device, dtype):
    kernel = ElementwiseKernel(
        "T x, T y",
        "T z, bool same",
        "T w = 2 * x; w -= conj(y); z = w / y + real(x) * T(0, 1); same = x == y;",
        "numbers",
        options=["--fmad=false"],
    )
    host = np.linspace(-3, 5, 40).reshape(2, 20)
    x = gpuarray.to_device((host[0] + 1j * host[1]).astype(dtype))
    y = x[::-1]
    z, same = kernel(x, y)
    expected = (2 * x - gpuarray.conjugate(y)) / y + x.real * np.dtype(dtype).type(1j)
    assert_same(z, expected.get())
    assert_same(same, (x == y).get())


def test_conversions_on_the_way(device):
    half = ElementwiseKernel("float32 x", "float32 y", "y = x / 2", "halve")
    host = np.arange(100, dtype="int16")
    assert_same(half(gpuarray.to_device(host)), (host / 2).astype("float32"))
    out = gpuarray.zeros(100, "float64")
    assert_same(half(gpuarray.to_device(host), out), host / 2)
    assert_same(half(gpuarray.to_device(host > 50), out), (host > 50) / 2)


def test_scalars(device):
    x = gpuarray.arange(4, dtype="float32")
    assert AXPY(x, x, 2).dtype == AXPY(x, x, np.float64(2)).dtype == "float32"
    assert AXPY(x, 1, True).dtype == "float32"
    assert_same(AXPY(x, 1, 2), 2 * np.arange(4, dtype="float32") + 1)
    scale = ElementwiseKernel("T x, S a", "S y", "y = S(x) * a", "scale")
    assert scale(x, 2).dtype == "int64"
    assert scale(x, 2.0).dtype == "float64"
    assert scale(x, np.float32(2)).dtype == "float32"
    small = gpuarray.ones(3, "uint8")
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        AXPY(small, small, 300)


def test_calls_by_name(device):
    x = gpuarray.arange(4, dtype="float32")
    assert_same(AXPY(y=x, a=2, x=x), 3 * np.arange(4, dtype="float32"))
    assert_same(AXPY(x, a=0, y=x), np.arange(4, dtype="float32"))


def test_preamble_and_texts_around_the_loop(device):
    kernel = ElementwiseKernel(
        "T x",
        "T y",
        "y = twice(x) + offset",
        "texts",
        preamble="template <class T> __device__ T twice(T x) { return x + x; }",
        loop_prep="const T offset = T(n);",
        options=("-DUNUSED=1",),
    )
    host = np.arange(10, dtype="int32")
    assert_same(kernel(gpuarray.to_device(host)), 2 * host + 10)


def test_options_reach_the_compiler(device):
    kernel = ElementwiseKernel("T x", "T y", "y = x + STEP", "step", options=["-DSTEP=5"])
    assert_same(kernel(gpuarray.zeros(3, "int32")), np.full(3, 5, "int32"))


def test_functions_of_cuda(device):
    kernel = ElementwiseKernel(
        "float32 x", "float32 y, int32 z", "y = max(x, 0.0f) + rsqrtf(4.0f); z = min(i, (int64_t)2)"
    )
    y, z = kernel(gpuarray.to_device(np.float32([-1, 2, 3, 4])))
    assert_same(y, np.float32([0.5, 2.5, 3.5, 4.5]))
    assert_same(z, np.int32([0, 1, 2, 2]))


def test_pycuda_arguments(device):
    kernel = ElementwiseKernel("float *x, const float *y, float a", "x[i] = a * y[i]", "scaled")
    host = np.arange(12, dtype="float32").reshape(3, 4)
    x, y = gpuarray.zeros((3, 4), "float32"), gpuarray.to_device(host)
    assert kernel(x, y, 3) is None
    assert_same(x, 3 * host)
    kernel(x, y, 5, slice=slice(None, None, -4))
    kernel(x, y, 7, range=range(2, 9, 3))
    expected = 3 * host.ravel()
    expected[[11, 7, 3]] = 5 * host.ravel()[[11, 7, 3]]
    expected[2:9:3] = 7 * host.ravel()[2:9:3]
    assert_same(x.ravel(), expected)
    with pytest.raises(TypeError, match="range and slice are for kernels of pointers"):
        AXPY(x, y, 3, slice=slice(0, 1))
    with pytest.raises(TypeError, match="expected a range or a slice, got int"):
        kernel(x, y, 3, slice=3)
    with pytest.raises(ValueError, match="scaled: y: expected a contiguous array"):
        kernel(x, gpuarray.zeros((3, 8), "float32")[:, ::2], 3)
    with pytest.raises(TypeError, match="y: expected an array of float32, got an array of float64"):
        kernel(x, y.astype("float64"), 3)


def test_return_tuple_and_empty(device):
    kernel = ElementwiseKernel("T x", "T y", "y = -x", "minus", return_tuple=True)
    (y,) = kernel(gpuarray.ones((0, 3), "float32"))
    assert y.shape == (0, 3)


def test_source_is_that_of_the_last_signature(device):
    kernel = ElementwiseKernel("T x", "T y", "y = x * 41", "shown")
    assert kernel.source == ""
    kernel(gpuarray.ones(3, "float64"))
    assert "y = x * 41" in kernel.source
    assert "using T = double;" in kernel.source


def test_streams_and_the_launch_log(device):
    stream = gpuarray.Stream(device)
    x = gpuarray.arange(1000, dtype="float32")
    result = AXPY(x, x, 1, stream=stream)
    if device != "cpu":
        assert any(launch.operation == "axpy" for launch in gpuarray.pending_launches())
    assert_same(result, 2 * np.arange(1000, dtype="float32"))


def test_arrays_of_other_libraries(device):
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = gpuarray.arange(5, dtype="float32")
    assert_same(AXPY(Foreign(x), x, 1), 2 * np.arange(5, dtype="float32"))


def test_kernels_are_freed(device):
    kernel = ElementwiseKernel("T x", "T y", "y = x", "short")
    kernel(gpuarray.ones(3))
    with pytest.raises(TypeError):
        kernel(1j, 2, 3)
    found = weakref.ref(kernel)
    gc.disable()  # there is no cycle
    try:
        del kernel
        assert found() is None
    finally:
        gc.enable()


def test_threads_share_a_kernel(device):
    kernel = ElementwiseKernel("T x", "T y", "y = x * 3", "shared")
    host = np.arange(50_000, dtype="int32")
    results = [None] * 6

    def work(index):
        with gpuarray.device(device):
            results[index] = kernel(gpuarray.to_device(host)).get()

    threads = [threading.Thread(target=work, args=[index]) for index in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        assert_same(result, host * 3)


MUL = 'extern "C" __device__ float mul(float a, float b) { return a * b; }'


@pytest.mark.cuda
@pytest.mark.skipif("GPUARRAY_TEST_DRIVER" in os.environ, reason="needs device code")
def test_device_functions(cuda):
    mul = gpuarray.declare_device(
        "mul", "float32(float32, float32)", link=gpuarray.CUSource(MUL), abi="c"
    )
    kernel = ElementwiseKernel("float32 x, float32 y", "float32 z", "z = mul(x, y)", functions=mul)
    host = np.arange(1000, dtype="float32")
    x = gpuarray.to_device(host)
    assert_same(kernel(x, x), host * host)
    assert_same(kernel(x[::-2], x[::2]), host[::-2] * host[::2])


@pytest.mark.parametrize("size", [255, 256, 257, 1001, 1025, 2047])
def test_a_long_row_that_ends_within_a_vector(device, size):
    """One strided input: the row is cut into pieces, of which the last is shorter."""
    double = ElementwiseKernel("float32 x", "float32 y", "y = 2 * x")
    source = np.arange(2 * size, dtype=np.float32)
    base = gpuarray.full(size + 8, -1.0, "float32")
    double(gpuarray.to_device(source)[::2], base[:size])
    expected = np.full(size + 8, -1, np.float32)
    expected[:size] = 2 * source[::2]
    assert_same(base, expected)


def test_names_of_defines_may_be_those_of_our_headers(device):
    kernel = ElementwiseKernel("float32 x", "float32 y", "y = x * N + K", options=["-DN=3", "-DK"])
    x = gpuarray.arange(4, dtype="float32")
    assert kernel(x).tolist() == [1, 4, 7, 10]


def test_raw_inputs_that_are_written_are_copied_first(device):
    backwards = ElementwiseKernel("raw T x", "T y", "y = x[n - 1 - i]")
    x = gpuarray.arange(1000, dtype="float32")
    backwards(x, out=x)
    assert x.tolist() == list(range(999, -1, -1))


def test_kernels_without_inputs(device):
    count = ElementwiseKernel("", "float32 y", "y = i")
    y = gpuarray.zeros(5, "float32")
    count(out=y)
    assert y.tolist() == [0, 1, 2, 3, 4]
