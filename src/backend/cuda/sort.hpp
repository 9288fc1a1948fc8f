// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/indexing.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/sort/sort_key.cuh"
#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

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

// Which elements of a sorted array are the first of their value.
struct RunsPlan {
  DType dtype;
  int64_t size = 0;  // not 0
  bool equal_nan = true;
  const void* sorted = nullptr;
  bool* firsts = nullptr;  // written
  MaskFlags found;         // written: as Backend::count_true does
};

// The elements in order; NaN last, or first if descending.
void cuda_sort(const SortPlan& plan, const StreamPtr& stream);
// Where in its row each element of the order lies.
void cuda_argsort(const SortPlan& plan, const StreamPtr& stream);
void cuda_count_runs(const RunsPlan& plan, const StreamPtr& stream);

// One a row of kernels/sort.def.
enum class SortKernel : int {
#define GPUARRAY_SORT_KERNEL(name, ...) name,
#include "kernels/sort.def"
};
KernelHandle sort_kernel(SortKernel which, Device device);

KeyKind key_kind(DType dtype);
uint64_t key_infinity(DType dtype);  // the bits of it; 0 for integers

}  // namespace gpuarray
