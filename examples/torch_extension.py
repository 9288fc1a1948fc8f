# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""An extension in PyTorch's style, called with tensors that share the memory of GPUArrays.

    python examples/torch_extension.py

PyTorch compiles it with nvcc at the first run, which takes a minute.
"""

import sys
from typing import Any

import numpy as np

import gpuarray

DECLARATION = "torch::Tensor sum_cuda(torch::Tensor a, torch::Tensor b);"

SOURCE = """
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/types.h>

__global__ void add(const float* a, const float* b, float* result, int64_t size) {
  const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size;
       i += threads)
    result[i] = a[i] + b[i];
}

torch::Tensor sum_cuda(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda() && b.is_cuda(), "sum_cuda: expected tensors on a CUDA device");
  TORCH_CHECK(a.device() == b.device(), "sum_cuda: expected tensors of one device");
  TORCH_CHECK(a.scalar_type() == torch::kFloat32 && b.scalar_type() == torch::kFloat32,
              "sum_cuda: expected float32");
  TORCH_CHECK(a.sizes() == b.sizes(), "sum_cuda: a and b have different shapes");
  TORCH_CHECK(a.is_contiguous() && b.is_contiguous(), "sum_cuda: expected contiguous tensors");
  const c10::cuda::CUDAGuard device(a.device());
  torch::Tensor result = torch::empty_like(a);
  const int64_t size = a.numel();
  const int64_t blocks = std::min<int64_t>((size + 255) / 256, 65535);
  if (size > 0)
    add<<<static_cast<unsigned>(blocks), 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        a.data_ptr<float>(), b.data_ptr<float>(), result.data_ptr<float>(), size);
  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "sum_cuda: the launch failed");
  return result;
}
"""


def build() -> Any:
    from torch.utils.cpp_extension import load_inline

    return load_inline("sum_cuda", DECLARATION, SOURCE, functions=["sum_cuda"])


def main() -> int:
    import torch

    x, y = np.random.default_rng(1).random((2, 1000, 100), dtype=np.float32)
    a, b = gpuarray.to_device(x, device="cuda:0"), gpuarray.to_device(y, device="cuda:0")
    tensors = [torch.from_dlpack(array) for array in (a, b)]
    result = gpuarray.asarray(build().sum_cuda(*tensors))
    shared = [tensor.data_ptr() for tensor in tensors] == [a.ptr, b.ptr]
    equal = np.array_equal(result.get(), x + y)
    print(f"memory shared: {shared}, sums equal: {equal}")
    return 0 if shared and equal else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ImportError, OSError, gpuarray.DeviceError) as error:
        sys.exit(f"torch_extension.py: {error}")
