// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/cuda/elementwise_kernels.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/cuda/walk_parameters.hpp"
#include "kernels/elementwise/params.hpp"

namespace gpuarray {
namespace {

// A kernel that was not built ahead is compiled for launches of at least this many elements. For
// fewer, the kernel for any strides costs less than a compilation could win back.
constexpr int64_t kCompileFrom = int64_t{1} << 20;

const char* name_of(const ElementwiseLoop& what, const ElementwisePlan& plan) {
  if (what.op) return info(*what.op).name;
  if (plan.data[1] == nullptr) return "fill";
  return plan.dtypes[0] == plan.dtypes[1] ? "copy" : "cast";
}

LaunchLabel label_of(const ElementwiseLoop& what, const ElementwisePlan& plan) {
  return {name_of(what, plan), plan.dtypes[0],
          plan.target_shape == nullptr ? plan.shape : *plan.target_shape};
}

void launch_with(KernelHandle kernel, void* params, const LaunchShape& shape, const Stream& stream,
                 const LaunchLabel& label) {
  void* arguments[] = {params};
  launch(kernel, shape, arguments, stream, label);
}

// Launches the kernel of a path. Returns false, with nothing queued, if there is none.
bool launch_path(Path path, const ElementwiseLoop& what, const paths::Operands& operands,
                 const ElementwisePlan& plan, const Stream& stream) {
  paths::Parameters params;
  const paths::Launch filled = paths::fill(params, operands, path);
  KernelHandle kernel =
      elementwise_kernel(filled.variant, what, stream.device(), plan.size >= kCompileFrom);
  if (kernel.kernel == nullptr) return false;
  launch_with(kernel, params.data(), filled.shape, stream, label_of(what, plan));
  return true;
}

// Queues a launch for each index of the outermost axis, for a plan with more axes than kernels
// take.
void launch_slices(const ElementwiseLoop& what, const ElementwisePlan& plan,
                   const StreamPtr& stream) {
  ElementwisePlan slice = plan;
  slice.size /= plan.shape[0];
  slice.shape.erase(0);
  for (int k = 0; k < plan.operand_count; ++k) slice.strides[k].erase(0);
  for (int64_t i = 0; i < plan.shape[0]; ++i) {
    for (int k = 0; k < plan.operand_count; ++k)
      if (plan.data[k] != nullptr)
        slice.data[k] =
            static_cast<char*>(plan.data[k]) + i * plan.strides[k][0] * itemsize(plan.dtypes[k]);
    cuda_elementwise(what.op, what.loop, slice, stream);
  }
}

template <int Operands>
void launch_any(const ElementwiseLoop& what, const ElementwisePlan& plan, const Stream& stream) {
  ElementwiseParams<Operands> params;
  params.size = plan.size;
  params.ndim = plan.shape.size();
  std::copy(plan.shape.begin(), plan.shape.end(), params.shape);
  for (int k = 0; k < Operands; ++k) {
    std::copy(plan.strides[k].begin(), plan.strides[k].end(), params.strides[k]);
    params.data[k] = plan.data[k];
    std::copy_n(plan.scalar(k), kMaxItemsize, params.scalars[k]);
    params.dtypes[k] = static_cast<unsigned char>(what.dtypes[k]);
  }
  launch_with(elementwise_kernel({Path::any}, what, stream.device(), true), &params,
              linear_launch(plan.size, stream), stream, label_of(what, plan));
}

// Returns the dtype whose kernel copies elements of `dtype`; a copy is the same for all dtypes of
// one size.
DType bits_of(DType dtype) {
  switch (itemsize(dtype)) {
    case 1:
      return DType::uint8;
    case 2:
      return DType::uint16;
    case 4:
      return DType::uint32;
    default:
      return itemsize(dtype) == 8 ? DType::uint64 : DType::complex128;
  }
}

void run(const ElementwiseLoop& what, const ElementwisePlan& plan, const StreamPtr& stream) {
  const paths::Operands operands = paths::operands_of(plan);
  Path path =
      paths::choose(operands, {.any = true, .tile = true, .merged = plan.size >= kCompileFrom});
  if (path == Path::merged) {
    if (launch_path(path, what, operands, plan, *stream)) return;
    path = Path::rows;
  }
  if (path != Path::any && launch_path(path, what, operands, plan, *stream)) return;
  if (plan.shape.size() > kParamDims) return launch_slices(what, plan, stream);
  if (what.operands == 2) return launch_any<2>(what, plan, *stream);
  if (what.operands == 3) return launch_any<3>(what, plan, *stream);
  launch_any<4>(what, plan, *stream);
}

}  // namespace

void cuda_elementwise(std::optional<Op> op, DType loop, const ElementwisePlan& plan,
                      const StreamPtr& stream) {
  if (!op && plan.dtypes[0] == plan.dtypes[1]) {
    if (cuda_copy_rows(plan, *stream)) return;
    const DType bits = bits_of(loop);
    return run({op, bits, 2, {bits, bits}}, plan, stream);
  }
  ElementwiseLoop what{op, loop, plan.operand_count, {}};
  std::copy_n(plan.dtypes, plan.operand_count, what.dtypes);
  run(what, plan, stream);
}

}  // namespace gpuarray
