// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Plans of sorting, of searching in sorted arrays and of counting in bins. All arrays are
// contiguous and none is empty. A plan borrows all memory that it points to.
#pragma once

#include <cstdint>

#include "backend/indexing.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/sort/sort_params.hpp"

namespace gpuarray {

class Buffer;

// Describes a sort of rows of `length` elements each; every row is sorted by itself. NaN comes
// last, or first if `descending`. Complex numbers are ordered by real, then by imaginary part.
struct SortPlan {
  DType dtype;
  const void* source = nullptr;  // is not written
  void* target = nullptr;        // for elements, or for int64 positions within the row
  void* values = nullptr;        // for the elements beside the positions of one row, or null
  int64_t count = 0;             // elements of all rows
  int64_t length = 0;            // elements of a row
  bool descending = false;
  bool stable = true;  // whether positions of equal elements must keep their order
  // The only positions, from 0 on, that need to hold what a sort puts there, with nothing greater
  // before them and nothing smaller behind; null means all.
  const Dims* kth = nullptr;
  const Shape* shape = nullptr;  // shown by error messages; must outlive the plan
  // What holds the memory, for libraries whose callers may keep it.
  Buffer* source_buffer = nullptr;
  Buffer* target_buffer = nullptr;
};

// Describes a selection in rows of `length` elements each: the element that a sort in the plan's
// order would put at `rank` splits its row into the elements before it, those equal to it and those
// after it, each in the order in which they lie in the row. Both zeros are equal, and all NaNs.
struct RankPlan {
  DType dtype;
  const void* source = nullptr;  // is not written
  int64_t count = 0;             // elements of all rows
  int64_t length = 0;            // elements of a row
  int64_t rank = 0;              // from 0 on
  bool descending = false;
  int64_t kept =
      0;  // elements that are written of each split row, the first ones; more than `rank`
  void* values = nullptr;        // where elements are written, or null
  int64_t* positions = nullptr;  // where their positions in the row are written, or null
  const Shape* shape = nullptr;  // shown by error messages; must outlive the plan
};

// Describes the search for the elements of a sorted array that are the first of their value.
struct RunsPlan {
  DType dtype;
  int64_t size = 0;
  bool equal_nan = true;  // whether all NaNs count as one value
  const void* sorted = nullptr;
  bool* firsts = nullptr;  // where the mask of these elements is written
  MaskFlags found;         // written as Backend::count_true writes it for that mask
};

// Describes the search for the distinct elements of an array by a bit for each key between the
// lowest and the highest one.
struct DistinctPlan {
  DType dtype;
  int64_t count = 0;  // elements
  const void* source = nullptr;
  KeyRange range{};   // as Backend::find_key_range() wrote it
  MaskFlags found{};  // of the keys, counted from the lowest

  uint64_t highest() const { return ~range.below_highest; }
  int64_t keys() const { return static_cast<int64_t>(highest() - range.lowest) + 1; }
  bool has_nan() const { return range.nan != ~uint64_t{0}; }
  bool has_negative_zero() const { return range.zero % 2 == 0; }
};

// Describes a binary search: how many of the sorted elements come before the place of each query.
struct SearchPlan {
  DType dtype;  // of the sorted elements and of the queries
  const void* sorted = nullptr;
  int64_t length = 0;               // number of sorted elements
  const int64_t* sorter = nullptr;  // positions that sort `sorted`; null if it is in order
  const void* queries = nullptr;
  int64_t count = 0;             // number of queries
  int64_t* target = nullptr;     // where the place of each query is written
  bool right = false;            // whether elements that equal the query come before its place
  const Shape* shape = nullptr;  // of the queries, shown by error messages; must outlive the plan
};

// Describes a histogram, which counts the elements in each bin or adds up their weights. An element
// that is in no bin is left out.
struct HistogramPlan {
  DType dtype;
  const void* source = nullptr;
  int64_t count = 0;
  const double* weights = nullptr;  // of the elements; null if elements are counted
  void* target = nullptr;           // int64, or double with weights; the caller has set it to 0
  int64_t bins = 0;
  const double* edges =
      nullptr;        // bins + 1 of them; null if the elements, integers, number their bins
  bool even = false;  // whether the edges lie at equal distances
  const Shape* shape = nullptr;  // shown by error messages; must outlive the plan
};

}  // namespace gpuarray
