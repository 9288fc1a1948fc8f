// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda.hpp"

#include <algorithm>
#include <string>

#include "backend/kernel_table.hpp"
#include "kernels/params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel.hpp"

namespace gpuarray {
namespace {

// Enough blocks of a grid-stride kernel for `count` elements, no more than fill the device.
LaunchShape linear_launch(int64_t count, const Stream& stream) {
  int64_t most =
      int64_t{properties(stream.device()).multiprocessors} * kElementwiseBlocksPerMultiprocessor;
  int64_t blocks = (count + kElementwiseBlock - 1) / kElementwiseBlock;
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(std::min(blocks, most));
  shape.block[0] = kElementwiseBlock;
  return shape;
}

template <int Operands>
void launch_elementwise(KernelHandle kernel, const ElementwisePlan& plan, const Stream& stream) {
  ElementwiseParams<Operands> params;
  params.size = plan.size;
  params.ndim = plan.shape.size();
  std::copy(plan.shape.begin(), plan.shape.end(), params.shape);
  for (int k = 0; k < Operands; ++k) {
    std::copy(plan.strides[k].begin(), plan.strides[k].end(), params.strides[k]);
    params.data[k] = plan.data[k];
    std::copy_n(plan.scalars[k].bytes, kMaxItemsize, params.scalars[k]);
  }
  void* arguments[] = {&params};
  launch(kernel, linear_launch(plan.size, stream), arguments, stream);
}

class CudaBackend final : public Backend {
 public:
  void elementwise(Op op, DType loop, const ElementwisePlan& plan,
                   const StreamPtr& stream) override {
    KernelHandle kernel = elementwise_kernel(op, loop);
    if (plan.operand_count == 2) return launch_elementwise<2>(kernel, plan, *stream);
    if (plan.operand_count == 3) return launch_elementwise<3>(kernel, plan, *stream);
    launch_elementwise<4>(kernel, plan, *stream);
  }

  void cast(DType from, DType to, const ElementwisePlan& plan, const StreamPtr& stream) override {
    launch_elementwise<2>(cast_kernel(from, to), plan, *stream);
  }

  void reduce(Reduction reduction, DType loop, const ReducePlan& plan,
              const StreamPtr& stream) override {
    cuda_reduce(reduction, loop, plan, stream);
  }

  void arange(DType dtype, void* data, int64_t length, const Scalar& start, const Scalar& step,
              const StreamPtr& stream) override {
    Scalar first = start, delta = step;
    void* arguments[] = {&data, &length, first.bytes, delta.bytes};
    launch(arange_kernel(dtype), linear_launch(length, *stream), arguments, *stream);
  }

  void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) override {
    cuda_matmul(dtype, plan, *stream);
  }
};

}  // namespace

Backend& cuda_backend() {
  static CudaBackend backend;
  return backend;
}

}  // namespace gpuarray
