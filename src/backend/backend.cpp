// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/backend.hpp"

#include <string>

#include "backend/fft.hpp"
#include "core/error.hpp"
#include "kernels/element/param_dims.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

void require_param_dims(const Shape& shape) {
  if (shape.size() > kParamDims)
    throw ShapeError("CUDA kernels take up to " + std::to_string(kParamDims) +
                     " axes of which no two can be walked as one, got shape " + to_string(shape) +
                     "; copy the array with its axes in another order");
}

bool is_small_matmul(int64_t batches, int64_t m, int64_t n, int64_t k) {
  // The product is computed in doubles, which do not overflow.
  return k <= kMatmulOwnDepth &&
         double(batches) * double(m) * double(n) * double(k) <= kMatmulOwnProducts;
}

void Backend::random(const RandomPlan&, const StreamPtr&) {
  throw DeviceError("random: on the cpu device NumPy draws random numbers");
}

FftOutcome Backend::fft(const FftPlan&, const StreamPtr&) {
  throw DeviceError("fft: the cpu device computes none but through gpuarray.fft");
}

bool has_direct_reduction(Reduction reduction, DType source, DType loop) {
  return source == loop || loop == default_loop_dtype(info(reduction), source);
}

bool has_direct_scan(Scan scan, DType source, DType loop) {
  return source == loop || (info(scan).widens && loop == default_sum_dtype(source));
}

}  // namespace gpuarray
