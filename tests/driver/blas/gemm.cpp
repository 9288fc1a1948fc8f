// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The kernel of the stand-in for cuBLAS: a thread for each element, and a plain loop.
#include "gemm.hpp"

#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"

namespace {

using namespace gpuarray;

int64_t offset(const GemmMatrix& matrix, int64_t batch, int64_t row, int64_t column) {
  const bool turned = matrix.transposed != 0;
  return batch * matrix.batch_stride + (turned ? column : row) +
         (turned ? row : column) * matrix.leading;
}

template <class T>
T& element(const GemmMatrix& matrix, int64_t offset) {
  return reinterpret_cast<T*>(matrix.data)[offset];
}

template <class T, class Sum>
void multiply(const GemmArguments& p, int64_t index) {
  const int64_t row = index % p.m, column = index / p.m % p.n, batch = index / p.m / p.n;
  Sum total = cast<Sum>(false);
  for (int64_t k = 0; k < p.k; ++k)
    total =
        math::add(total, math::multiply(cast<Sum>(element<T>(p.a, offset(p.a, batch, row, k))),
                                        cast<Sum>(element<T>(p.b, offset(p.b, batch, k, column)))));
  Sum alpha, beta;
  memcpy(&alpha, p.alpha, sizeof alpha);
  memcpy(&beta, p.beta, sizeof beta);
  total = math::multiply(alpha, total);
  using Target = choose_t<is_same_v<T, int8_t>, int32_t, T>;
  Target& target = element<Target>(p.c, offset(p.c, batch, row, column));
  if (math::not_equal(beta, cast<Sum>(false)))
    total = math::add(total, math::multiply(beta, cast<Sum>(target)));
  target = cast<Target>(total);
}

void stub_gemm(GemmArguments p) {
  const int64_t index = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // This spoils the data of anyone to whom the memory was given meanwhile.
  if (index < p.workspace_bytes) p.workspace[index] = '\xee';
  if (index >= p.m * p.n * p.batches) return;
  switch (p.type) {
    case 0:
      return multiply<float, float>(p, index);
    case 1:
      return multiply<double, double>(p, index);
    case 2:
      return multiply<half, float>(p, index);
    case 3:
      return multiply<int8_t, int32_t>(p, index);
    case 4:
      return multiply<complex<float>, complex<float>>(p, index);
    case 5:
      return multiply<complex<double>, complex<double>>(p, index);
    case 14:
      return multiply<bfloat16, float>(p, index);
    default:
      return;
  }
}

}  // namespace

GPUARRAY_HOST_KERNEL(stub_gemm)
