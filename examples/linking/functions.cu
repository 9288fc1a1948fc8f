// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Device functions for kernels that other compilers make, with the ABI of numba-cuda: the result
// goes to memory, and 0 says that all went well.

extern "C" __device__ int mul_f32_f32(float* result, float a, float b) {
  *result = a * b;
  return 0;
}

extern "C" __device__ int sum_reduce(float* result, const float* values, long long count) {
  float sum = 0;
  for (long long i = 0; i < count; ++i) sum += values[i];
  *result = sum;
  return 0;
}
