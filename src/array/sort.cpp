// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/sort.hpp"
#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"

namespace gpuarray::ops {
namespace {

using Run = void(const SortPlan& plan, const StreamPtr& stream);

// Rows are sorted where they are contiguous, and put where they belong after it.
Array sorted(const Array& source, int axis, bool descending, DType dtype, Run* run) {
  if (source.size() == 0) return empty_like(source, source.shape(), dtype, 'K');
  const Array rows = swap_axes(source, axis, -1);
  const Array input = rows.is_c_contiguous() ? rows : copy(rows);
  const Array target = empty(input.shape(), dtype, source.device());
  SortPlan plan{.dtype = source.dtype(),
                .count = source.size(),
                .length = source.shape()[axis],
                .descending = descending,
                .shape = &source.shape()};
  {
    Access access(current_stream(source.device()));
    plan.source = access.read(input);
    plan.target = access.write(target);
    run(plan, access.stream());
  }
  if (axis == source.ndim() - 1) return target;
  const Array result = empty_like(source, source.shape(), dtype, 'K');
  const Array turned = swap_axes(target, axis, -1);
  assign(result, turned);
  return result;
}

}  // namespace

Array sort(const Array& source, int axis, bool descending) {
  return sorted(source, axis, descending, source.dtype(), cuda_sort);
}

Array argsort(const Array& source, int axis, bool descending) {
  return sorted(source, axis, descending, DType::int64, cuda_argsort);
}

}  // namespace gpuarray::ops
