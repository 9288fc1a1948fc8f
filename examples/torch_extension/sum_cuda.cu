// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A function of PyTorch's tensors, which knows nothing of gpuarray.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/types.h>

__global__ void add(const float* a, const float* b, float* result, int64_t size) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) result[i] = a[i] + b[i];
}

torch::Tensor sum_cuda(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda() && a.device() == b.device(), "sum_cuda: expected one CUDA device");
  TORCH_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32,
              "sum_cuda: expected float32");
  TORCH_CHECK(a.sizes() == b.sizes(), "sum_cuda: a and b have different shapes");
  TORCH_CHECK(a.is_contiguous() && b.is_contiguous(), "sum_cuda: expected contiguous tensors");
  const c10::cuda::CUDAGuard device(a.device());
  torch::Tensor result = torch::empty_like(a);
  const int64_t size = a.numel();
  if (size > 0)
    add<<<static_cast<unsigned>((size + 255) / 256), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), result.data_ptr<float>(), size);
  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "sum_cuda: the launch failed");
  return result;
}
