// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/grid.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"
#include "kernels/matmul/matmul_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray {
namespace {

struct MatmulKernel {
  static constexpr size_t kCount = 2 * kDTypeCount;

  DType dtype;
  bool small;  // whether each thread computes one element

  int index() const { return small * kDTypeCount + static_cast<int>(dtype); }
  BuiltKernel built() const {
    return {"matmul",
            (small ? "matmul_small_" : "matmul_") + std::string(source::identifier(dtype))};
  }
  std::string text() const {
    return source::kernel(source::include("matmul/matmul.cuh"), source::by_value("MatmulParams"),
                          std::string("matmul_kernel<") + source::cpp_type(dtype) +
                              (small ? ", 1" : ", kMatmulEach") + ">(params)",
                          "__launch_bounds__(kMatmulBlock)");
  }
};

constinit KernelFamily<MatmulKernel> kernels;

MatmulParams params_of(const MatmulPlan& plan) {
  MatmulParams params{};
  params.m = plan.m;
  params.n = plan.n;
  params.k = plan.k;
  params.batches = element_count(plan.batch);
  Shape batch = plan.batch;
  Strides batches[] = {plan.target_batch, plan.a_batch, plan.b_batch};
  merge_axes(batch, batches);
  require_param_dims(batch);
  params.batch_ndim = batch.size();
  std::copy(batch.begin(), batch.end(), params.batch_shape);
  const int64_t* pairs[] = {plan.target_strides, plan.a_strides, plan.b_strides};
  const void* data[] = {plan.target, plan.a, plan.b};
  for (int k = 0; k < 3; ++k) {
    std::copy(batches[k].begin(), batches[k].end(), params.batch_strides[k]);
    std::copy_n(pairs[k], 2, params.strides[k]);
    params.data[k] = const_cast<void*>(data[k]);
  }
  params.scaled = plan.scaled;
  params.accumulates = plan.accumulates;
  std::copy_n(plan.alpha.bytes, kMaxItemsize, params.alpha);
  std::copy_n(plan.beta.bytes, kMaxItemsize, params.beta);
  return params;
}

void own_matmul(DType dtype, const MatmulPlan& plan, const Stream& stream) {
  MatmulParams params = params_of(plan);
  auto blocks = [&](int64_t side) {
    return params.batches * divide_up(plan.m, side) * divide_up(plan.n, side);
  };
  int64_t count = blocks(kMatmulSide * kMatmulEach);
  const bool small = count < properties(stream.device()).multiprocessors;
  if (small) count = blocks(kMatmulSide);
  void* arguments[] = {&params};
  launch(kernels.find({dtype, small}, stream.device()),
         LaunchShape::linear(std::min(count, kMostBlocks), kMatmulBlock), arguments, stream,
         {"matmul", dtype, *plan.target_shape});
}

}  // namespace

void cuda_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) {
  if (plan.has_long_dots) return cuda_dot(dtype, plan, stream);
  if (is_small_matmul(element_count(plan.batch), plan.m, plan.n, plan.k) ||
      !library_matmul(dtype, plan, stream))
    own_matmul(dtype, plan, *stream);
}

}  // namespace gpuarray
