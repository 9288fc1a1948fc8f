# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Kernels for tests, compiled at run time for the device there is."""

import functools

import gpuarray

SOURCE = """
extern "C" {

__global__ void axpy(const float* x, float a, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void where_am_i(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = 1000 * block + thread;
}

__global__ void reverse(float* x, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}

__global__ void nothing() {}

__global__ void fill(double* x, double value, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = value;
}

struct Particle {
  double mass;
  float position[3];
  int id;
};

__global__ void put(Particle* out, Particle value) { *out = value; }

__global__ void big(const double* x, double* y, int n, const double* scale, Particle p, char c,
                    double* a0, double* a1, double* a2, double* a3, double* a4, double* a5,
                    double* a6, double* a7, double* a8, double* a9, double* a10, double* a11) {
  double* all[] = {a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11};
  for (int i = 0; i < n; ++i) y[i] = x[i] * *scale + p.mass + c;
  for (int k = 0; k < 12; ++k) *all[k] = k;
}

}
"""


@functools.cache
def module():
    return gpuarray.Module(SOURCE, device="cuda:0")


def kernel(name, signature=None):
    return module().get_function(name, signature)


def untyped(name):
    """Return the kernel as loaded from a binary, which tells only the sizes of its parameters."""
    return module()._library.kernel(name)
