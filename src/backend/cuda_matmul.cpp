// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/kernel_table.hpp"
#include "core/layout.hpp"
#include "kernels/params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {

void cuda_matmul(DType dtype, const MatmulPlan& plan, const Stream& stream) {
  MatmulParams params{};
  params.m = plan.m;
  params.n = plan.n;
  params.k = plan.k;
  params.batches = element_count(plan.batch);
  params.batch_ndim = plan.batch.size();
  std::copy(plan.batch.begin(), plan.batch.end(), params.batch_shape);
  const Strides* batches[] = {&plan.target_batch, &plan.a_batch, &plan.b_batch};
  const int64_t* pairs[] = {plan.target_strides, plan.a_strides, plan.b_strides};
  const void* data[] = {plan.target, plan.a, plan.b};
  for (int k = 0; k < 3; ++k) {
    std::copy(batches[k]->begin(), batches[k]->end(), params.batch_strides[k]);
    std::copy_n(pairs[k], 2, params.strides[k]);
    params.data[k] = const_cast<void*>(data[k]);
  }
  auto tiles = [](int64_t extent) { return (extent + kMatmulTile - 1) / kMatmulTile; };
  int64_t blocks = params.batches * tiles(plan.m) * tiles(plan.n);
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(std::min<int64_t>(blocks, 0x7fffffff));
  shape.block[0] = kMatmulTile;
  shape.block[1] = kMatmulTile;
  void* arguments[] = {&params};
  launch(matmul_kernel(dtype, stream.device()), shape, arguments, stream,
         {"matmul", dtype, *plan.target_shape});
}

}  // namespace gpuarray
