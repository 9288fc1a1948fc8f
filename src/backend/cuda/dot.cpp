// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstdint>
#include <string>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/kernel_source.hpp"

namespace gpuarray {
namespace {

constexpr uintptr_t kVectorBytes = 16;

struct DotKernel {
  static constexpr size_t kCount = 4 * kDTypeCount;

  DType dtype;
  bool conjugates;
  bool has_vectors;  // whether loads of rows and the vector are aligned at the same places

  int index() const {
    return (static_cast<int>(dtype) * 2 + int{conjugates}) * 2 + int{has_vectors};
  }
  BuiltKernel built() const {
    return {"matmul", std::string(conjugates ? "vdot_" : "dot_") + (has_vectors ? "" : "apart_") +
                          source::identifier(dtype)};
  }
  std::string text() const {
    const std::string type = source::cpp_type(dtype), conjugate = conjugates ? "true" : "false";
    return source::kernel(source::include("matmul/dot.cuh"),
                          source::by_value("ReduceParams") + ", const void* other",
                          "dot_kernel<" + type + ", " + conjugate + ", " +
                              (has_vectors ? "true" : "false") + ">(params, other)",
                          "__launch_bounds__(kReduceBlock, reduce_resident<dot_reducer<" + type +
                              ", " + conjugate + ">>)");
  }
};

constinit KernelFamily<DotKernel> kernels;

// Returns the reduction of the rows of `a`, whose places the elements of `b` share.
ReducePlan plan_of(DType dtype, const MatmulPlan& plan) {
  ReducePlan reduce;
  reduce.source_dtype = dtype;
  if (plan.m > 1) {
    reduce.kept.push_back(plan.m);
    reduce.kept_strides.push_back(plan.a_strides[0]);
    reduce.target_strides.push_back(plan.target_strides[0]);
  }
  reduce.reduced.push_back(plan.k);
  reduce.reduced_strides.push_back(1);
  reduce.source = plan.a;
  reduce.target = plan.target;
  return reduce;
}

}  // namespace

void cuda_dot(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) {
  const Device device = stream->device();
  const uintptr_t apart = reinterpret_cast<uintptr_t>(plan.b) - reinterpret_cast<uintptr_t>(plan.a);
  const int64_t step = plan.m > 1 ? plan.a_strides[0] * itemsize(dtype) : 0;
  const bool has_vectors = apart % kVectorBytes == 0 && step % int64_t{kVectorBytes} == 0;
  const DotKernel key{dtype, plan.conjugates, has_vectors};
  const void* other = plan.b;
  launch_reduction(kernels.find(key, device),
                   plan_cuda_reduction(Reduction::sum, plan_of(dtype, plan), device),
                   accumulator_size(Reduction::sum, dtype), &other, stream,
                   {"matmul", dtype, *plan.target_shape});
}

}  // namespace gpuarray
