// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// Rows of `length` neighbours each, to be sorted by themselves; equal elements keep their order.
struct SortPlan {
  DType dtype;
  const void* source = nullptr;  // not written
  void* target = nullptr;        // elements, or int64 positions in the row
  int64_t count = 0;             // of all rows, not 0
  int64_t length = 0;
  bool descending = false;
  const Shape* shape = nullptr;  // for reports, outlives the plan
};

// The elements in order; NaN last, or first if descending.
void cuda_sort(const SortPlan& plan, const StreamPtr& stream);
// Where in its row each element of the order lies.
void cuda_argsort(const SortPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
