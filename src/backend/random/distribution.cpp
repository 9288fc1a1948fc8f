// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/distribution.hpp"

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"

namespace gpuarray {
namespace {

// The kernels of distributions. Those of permutations are built ahead, others are compiled at run
// time, because programs use few of them.
struct DistributionKernel {
  static constexpr size_t kCount = 2 * kDistributionCount;

  Distribution distribution;
  DType dtype;

  int index() const {
    return 2 * static_cast<int>(distribution) + (dtype == DType::float32 ? 1 : 0);
  }
  BuiltKernel built() const {
    return {"random", std::string(info(distribution).name) + "_" + source::identifier(dtype)};
  }
  std::string text() const {
    const std::string draw = std::string("random::") + info(distribution).name + "_draw";
    return source::kernel(
        source::include("random/distribution_kernel.cuh"), source::by_value("DistributionParams"),
        "random::distribution_kernel<" + draw + ", " + source::cpp_type(dtype) + ">(params)");
  }
};

constinit KernelFamily<DistributionKernel> kernels;

}  // namespace

void cuda_draw(const DistributionPlan& plan, const StreamPtr& stream) {
  DistributionParams params = plan.params;
  void* arguments[] = {&params};
  const DistributionKernel key{plan.distribution, plan.dtype};
  const Device device = stream->device();
  launch(kernels.entry(key, device).find_or_compile(key, device),
         linear_launch(params.count, *stream), arguments, *stream,
         {info(plan.distribution).name, plan.dtype, *plan.shape});
}

}  // namespace gpuarray
