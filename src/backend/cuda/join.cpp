// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/elementwise/join_params.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

struct JoinKernel {
  static constexpr size_t kCount = 1;

  int index() const { return 0; }
  BuiltKernel built() const { return {"copy", "join"}; }
  std::string text() const {
    return source::kernel(source::include("elementwise/join.cuh"), source::by_value("JoinParams"),
                          "join_kernel(params)");
  }
};

constinit KernelFamily<JoinKernel> kernels;

// Returns the bytes of the widest access that all addresses of the part allow.
uint32_t word_of(const JoinPlan& plan, const JoinPlan::Part& part) {
  return static_cast<uint32_t>(
      common_word({reinterpret_cast<intptr_t>(plan.target), reinterpret_cast<intptr_t>(part.source),
                   part.offset, part.bytes, plan.pitch}));
}

}  // namespace

void cuda_join(const JoinPlan& plan, const Stream& stream) {
  KernelHandle kernel = kernels.find({}, stream.device());
  JoinParams params;
  params.target = plan.target;
  params.pitch = plan.pitch;
  for (size_t done = 0; done < plan.parts.size(); done += kJoinParts) {
    int64_t blocks = 0;
    const size_t count = std::min<size_t>(kJoinParts, plan.parts.size() - done);
    params.parts = static_cast<int32_t>(count);
    for (size_t k = 0; k < count; ++k) {
      const JoinPlan::Part& part = plan.parts[done + k];
      const uint32_t word = word_of(plan, part);
      const int64_t words = part.bytes / word * plan.rows;
      params.part[k] = {part.source,
                        part.offset,
                        words,
                        word,
                        static_cast<uint32_t>(blocks),
                        Divisor::of(static_cast<uint32_t>(part.bytes / word))};
      blocks += divide_up(words, kJoinBlock * kJoinRounds);
    }
    void* arguments[] = {&params};
    launch(kernel, LaunchShape::linear(blocks, kJoinBlock), arguments, stream,
           {"join", plan.dtype, *plan.target_shape});
  }
}

}  // namespace gpuarray
