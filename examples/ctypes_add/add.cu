// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A library that knows nothing of Python: result = a + b, on the device and from the host. The
// functions return a cudaError_t.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>

namespace {

__global__ void add(const float* a, const float* b, float* result, size_t size) {
  const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += threads)
    result[i] = a[i] + b[i];
}

// Memory of the device for the scope.
struct Scratch {
  float* data = nullptr;
  cudaError_t status;
  explicit Scratch(size_t size) : status(cudaMalloc(&data, size * sizeof(float))) {}
  ~Scratch() { cudaFree(data); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

}  // namespace

extern "C" {

const char* error_text(int status) { return cudaGetErrorString(static_cast<cudaError_t>(status)); }

// Addresses of the device; queued on `stream`.
int add_on_device(const float* a, const float* b, float* result, size_t size, void* stream) {
  if (size == 0) return cudaSuccess;
  const size_t blocks = std::min<size_t>((size + 255) / 256, 65535);
  add<<<static_cast<unsigned>(blocks), 256, 0, static_cast<cudaStream_t>(stream)>>>(a, b, result,
                                                                                    size);
  return cudaGetLastError();
}

// Addresses of the host; done on return.
int add_on_host(const float* a, const float* b, float* result, size_t size) {
  const size_t bytes = size * sizeof(float);
  const Scratch device_a(size), device_b(size), device_result(size);
  for (const Scratch* scratch : {&device_a, &device_b, &device_result})
    if (scratch->status != cudaSuccess) return scratch->status;
  cudaError_t status = cudaMemcpy(device_a.data, a, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = cudaMemcpy(device_b.data, b, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess)
    status = static_cast<cudaError_t>(
        add_on_device(device_a.data, device_b.data, device_result.data, size, nullptr));
  if (status == cudaSuccess)
    status = cudaMemcpy(result, device_result.data, bytes, cudaMemcpyDeviceToHost);
  return status;
}
}
