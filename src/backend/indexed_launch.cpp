// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/indexed_launch.hpp"

#include "backend/backend.hpp"
#include "core/divide.hpp"
#include "core/layout.hpp"

namespace gpuarray {
namespace {

int64_t address(const void* data) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
}

}  // namespace

std::optional<RowsPlan> plan_rows(const IndexedPlan& plan, bool widens) {
  enum { kIndex, kArray, kValues };
  Shape shape = plan.shape;
  Strides strides[] = {plan.axes[0].strides, plan.array_strides, plan.values_strides};
  const bool uniform = std::all_of(strides[kValues].begin(), strides[kValues].end(),
                                   [](int64_t stride) { return stride == 0; });
  if (!uniform && !is_c_contiguous(shape, strides[kValues])) return std::nullopt;
  merge_axes(shape, strides);
  const int size = itemsize(plan.dtype);
  RowsPlan rows{
      size, itemsize(plan.index_dtype), 1, 1, 1, 0, plan.axes[0].step, 0, 0, !uniform, {}, {}, {}};
  rows.index = static_cast<const char*>(plan.axes[0].index);
  rows.array = static_cast<char*>(plan.array);
  rows.values = static_cast<char*>(plan.values);
  const int ndim = shape.size();
  if ((ndim == 1 || ndim == 2) && is_c_contiguous(shape, strides[kIndex])) {
    rows.indices = shape[ndim - 1];
    rows.array_step = strides[kArray][ndim - 1];
    if (ndim == 1) return rows;
    rows.planes = shape[0];
    rows.array_plane = strides[kArray][0];
    rows.index_plane = rows.indices;
    return rows;
  }
  // The axes are, from the innermost one: the row, the indices, the planes. Any may be missing.
  int axis = ndim - 1;
  const auto takes = [&](int64_t index, int64_t array) {
    return axis >= 0 && strides[kIndex][axis] == index && strides[kArray][axis] == array;
  };
  if (takes(0, 1)) rows.row = shape[axis--];
  if (takes(1, 0)) rows.indices = shape[axis--];
  if (axis == 0 && strides[kIndex][0] == 0) {
    rows.array_plane = strides[kArray][0];
    rows.planes = shape[axis--];
  }
  if (axis >= 0 || rows.row > kMostIndexedWords) return std::nullopt;
  if (widens && rows.row > 1 && !uniform)
    rows.word = common_word({rows.row * size, rows.step * size, rows.array_plane * size,
                             address(plan.array), address(plan.values)});
  rows.row = rows.row * size / rows.word;
  rows.step = rows.step * size / rows.word;
  rows.array_plane = rows.array_plane * size / rows.word;
  return rows;
}

IndexedParams any_params(const IndexedPlan& plan, const IndexAxis& axis) {
  Shape shape = plan.shape;
  Strides strides[] = {plan.axes[0].strides, plan.array_strides, plan.values_strides};
  merge_axes(shape, strides);
  require_param_dims(shape);
  IndexedParams params;
  params.axis = axis;
  params.size = element_count(shape);
  params.ndim = shape.size();
  std::copy(shape.begin(), shape.end(), params.shape);
  for (int k = 0; k < 3; ++k) std::copy(strides[k].begin(), strides[k].end(), params.strides[k]);
  params.index = plan.axes[0].index;
  params.array = plan.array;
  params.values = plan.values;
  return params;
}

}  // namespace gpuarray
