# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Scripts as PyCUDA's users write them, with no change but that of the imports."""

import re

import numpy as np
import pytest

IMPORT = re.compile(r"^(import|from) pycuda", re.MULTILINE)

# A script for PyCUDA.
SCRIPT = '''
import numpy as np
import pycuda.autoinit as autoinit
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
from pycuda import cumath
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

TILE = 16

module = SourceModule("""
#define TILE %(tile)d

__global__ void vector_add(float *sum, const float *a, const float *b, int n) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

__global__ void matrix_multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float total = 0;
  for (int start = 0; start < n; start += TILE) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) total += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = total;
}
""" % {"tile": TILE})

# Vectors, with memory that the script manages itself.
n = 1000
a = np.arange(n).astype(np.float32)
b = np.ones_like(a)
a_gpu = cuda.mem_alloc(a.nbytes)
b_gpu = cuda.mem_alloc(b.nbytes)
sum_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
cuda.memcpy_htod(b_gpu, b)
vector_add = module.get_function("vector_add")
vector_add(sum_gpu, a_gpu, b_gpu, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1))
total = np.empty_like(a)
cuda.memcpy_dtoh(total, sum_gpu)
again = np.zeros_like(a)
vector_add(cuda.Out(again), cuda.In(a), cuda.In(total), np.int32(n), block=(256, 1, 1), grid=(4, 1))

# Matrices, with arrays.
size = 4 * TILE
x = (np.arange(size * size) % 7).reshape(size, size).astype(np.float32)
x_gpu = gpuarray.to_gpu(x)
product_gpu = gpuarray.empty((size, size), np.float32)
matrix_multiply = module.get_function("matrix_multiply")
start, end = cuda.Event(), cuda.Event()
start.record()
matrix_multiply(
    x_gpu, x_gpu, product_gpu, np.int32(size),
    block=(TILE, TILE, 1), grid=(size // TILE, size // TILE),
)
end.record()
end.synchronize()
milliseconds = start.time_till(end)
product = product_gpu.get()

# Texts for each element.
axpy = ElementwiseKernel("float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]", "axpy")
y_gpu = gpuarray.zeros_like(x_gpu)
axpy(2, x_gpu, x_gpu, y_gpu)
dot = ReductionKernel(
    np.float32, neutral="0", reduce_expr="a + b", map_expr="x[i] * y[i]",
    arguments="const float *x, const float *y",
)
squares = dot(x_gpu, y_gpu).get()
roots = cumath.sqrt(abs(y_gpu)).get()
autoinit.context.synchronize()
'''

# What a script does with arrays alone also runs without a GPU.
ARRAYS = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
import pycuda.cumath as cumath
import pycuda.driver as drv
from pycuda.curandom import rand as curand
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

a = curand((50,))
b = curand((50,))
combination = ElementwiseKernel(
    "float a, float *x, float b, float *y, float *z",
    "z[i] = my_f(a * x[i], b * y[i])",
    "linear_combination",
    preamble="__device__ float my_f(float x, float y) { return x + y; }",
)
c = gpuarray.empty_like(a)
combination(5, a, 6, b, c)
difference = abs(c - (5 * a + 6 * b)).get().max()
largest = gpuarray.max(c).get()
norm = np.sqrt(gpuarray.dot(a, a).get())
clipped = gpuarray.if_positive(a - 0.5, a, gpuarray.zeros_like(a)).get()
running = gpuarray.arange(10, dtype=np.int32)
InclusiveScanKernel(np.int32, "a + b")(running)
matrix = gpuarray.to_gpu(np.ones((4, 3), dtype=np.float32))
matrix *= 2
matrix[1] = 7
wave = cumath.sin(matrix) ** 2 + cumath.cos(matrix) ** 2
free, total = drv.mem_get_info()
"""


def run(script):
    """Run a script with the imports changed, and return its names."""
    names = {}
    exec(compile(IMPORT.sub(r"\1 gpuarray.pycuda", script), "script.py", "exec"), names)
    return names


@pytest.mark.cuda
def test_kernels(cuda):
    names = run(SCRIPT)
    a, x = names["a"], names["x"]
    np.testing.assert_array_equal(names["total"], a + 1)
    np.testing.assert_array_equal(names["again"], a + a + 1)
    np.testing.assert_array_equal(names["product"], x @ x)
    assert names["milliseconds"] >= 0
    assert names["squares"] == np.sum(x * 3 * x)
    np.testing.assert_allclose(names["roots"], np.sqrt(3 * x), rtol=1e-6)


def test_arrays(device):
    names = run(ARRAYS)
    a, b = names["a"].get(), names["b"].get()
    assert a.dtype == np.float32 and a.min() >= 0 and a.max() < 1
    assert names["difference"] < 1e-5
    assert names["largest"] == names["c"].get().max()
    np.testing.assert_allclose(names["c"].get(), 5 * a + 6 * b, rtol=1e-6)
    np.testing.assert_allclose(names["norm"], np.linalg.norm(a), rtol=1e-6)
    np.testing.assert_array_equal(names["clipped"], np.where(a > 0.5, a, 0))
    assert names["running"].get().tolist() == np.cumsum(range(10)).tolist()
    assert names["matrix"].get().tolist() == [[2] * 3, [7] * 3, [2] * 3, [2] * 3]
    np.testing.assert_allclose(names["wave"].get(), 1, rtol=1e-6)
    assert 0 < names["free"] <= names["total"]
