// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Plans of indexing with arrays. A plan borrows all memory that it points to.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dims.hpp"
#include "core/divide.hpp"
#include "core/dtype.hpp"
#include "kernels/indexing/index_axis.hpp"
#include "kernels/indexing/select_params.hpp"

namespace gpuarray {

// Describes a gather or scatter, which pairs each element of `values` with one of `array`. For a
// position in `shape` the latter lies at `array_strides`, moved along every indexed axis by the
// index that stands at the same position in the axis's array of indices. Strides count elements.
struct IndexedPlan {
  struct Axis {
    const void* index;  // the indices, of dtype `index_dtype`
    Strides strides;    // of the indices over `shape`
    int64_t length;     // elements of the array's axis
    int64_t step;       // the array's stride along that axis
    int32_t number;     // the axis's number in error messages
  };

  const char* operation;  // the name in error messages, which must live for the process
  DType dtype;            // of the array and the values
  DType index_dtype;      // int64, or int32 for a gather along one axis
  IndexMode mode = IndexMode::raise;
  Shape shape;  // of the values
  void* array = nullptr;
  Strides array_strides;  // over `shape`; 0 along axes that only the indices have
  void* values = nullptr;
  Strides values_strides;
  bool may_repeat = true;  // for a scatter: whether two indices may mean the same element
  std::vector<Axis> axes;
};

// Notes which of the `size` elements of a mask are true, as it was when they were counted. The
// elements are cut into tiles of kSelectTile.
struct MaskFlags {
  int64_t* sums = nullptr;    // sums[t]: how many elements of the tiles 0 to t are true
  uint16_t* flags = nullptr;  // a bit for each element; a tile has kSelectFlags words
};

// Returns how many tiles a mask of `size` elements has.
inline int64_t mask_tiles(int64_t size) { return divide_up(size, kSelectTile); }

// Describes a copy between the elements of a contiguous array where a mask is true, and as many
// packed ones.
struct SelectPlan {
  DType dtype;
  int64_t size = 0;
  MaskFlags found;
  void* array = nullptr;
  void* packed = nullptr;
};

// Describes the search for the indices of the true elements of a mask.
struct NonzeroPlan {
  Shape shape;  // of the mask
  MaskFlags found;
  int64_t* indices = nullptr;  // of shape (ndim, count), contiguous
  int64_t count = 0;           // number of true elements
};

}  // namespace gpuarray
