// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Plans of indexing with arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/indexing/index_axis.hpp"

namespace gpuarray {

// For each element of `shape`, the element of the array at its strides, moved along every indexed
// axis by the index that lies at the index's strides. Strides are in elements.
struct IndexedPlan {
  struct Axis {
    const void* index;  // of `index_dtype`
    Strides strides;    // of the index, over `shape`
    int64_t length;     // of the array's axis
    int64_t step;       // along it
    int32_t number;     // for reports
  };

  const char* operation;  // for reports, lives for the process
  DType dtype;            // of array and values
  DType index_dtype;      // int64, or int32 for a gather along one axis
  IndexMode mode = IndexMode::raise;
  Shape shape;  // of the values
  void* array = nullptr;
  Strides array_strides;  // 0 along axes of indices alone
  void* values = nullptr;
  Strides values_strides;
  bool may_repeat = true;  // for a scatter: whether an element may be meant twice
  std::vector<Axis> axes;
};

// The true elements of a mask of `size` elements, as it was when they were counted.
struct MaskFlags {
  int64_t* sums = nullptr;    // sums[t]: of the first (t + 1) * kSelectTile elements
  uint16_t* flags = nullptr;  // kFlagBits elements a word, kSelectFlags words a tile
};

// The elements of a contiguous array where a mask is true.
struct SelectPlan {
  DType dtype;
  int64_t size = 0;
  MaskFlags found;
  void* array = nullptr;
  void* packed = nullptr;
};

struct NonzeroPlan {
  Shape shape;  // of the mask
  MaskFlags found;
  int64_t* indices = nullptr;  // (ndim, count), contiguous
  int64_t count = 0;
};

}  // namespace gpuarray
