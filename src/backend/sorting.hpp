// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Plans of sorting, of searching in what is sorted, and of counting in bins. All arrays are
// contiguous, and none is empty.
#pragma once

#include <cstdint>

#include "backend/indexing.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace gpuarray {

// Rows of `length` neighbours each, every one of which is sorted by itself: NaN last, or first if
// `descending`; complex numbers by real, then by imaginary part.
struct SortPlan {
  DType dtype;
  const void* source = nullptr;  // not written
  void* target = nullptr;        // elements, or int64 positions in the row
  int64_t count = 0;             // elements of all rows
  int64_t length = 0;            // elements of a row
  bool descending = false;
  bool stable = true;            // whether positions of equal elements must keep their order
  const Shape* shape = nullptr;  // for reports, outlives the plan
};

// Which elements of a sorted array are the first of their value.
struct RunsPlan {
  DType dtype;
  int64_t size = 0;
  bool equal_nan = true;  // whether all NaNs are one value
  const void* sorted = nullptr;
  bool* firsts = nullptr;  // written
  MaskFlags found;         // written as Backend::count_true does
};

// How many of the sorted elements come before the place of each query.
struct SearchPlan {
  DType dtype;  // of the sorted elements and of the queries
  const void* sorted = nullptr;
  int64_t length = 0;               // sorted elements
  const int64_t* sorter = nullptr;  // where the sorted elements lie; null: in order
  const void* queries = nullptr;
  int64_t count = 0;             // queries
  int64_t* target = nullptr;     // a place for each query
  bool right = false;            // whether elements that equal the query come before its place
  const Shape* shape = nullptr;  // of the queries, for reports, outlives the plan
};

// Counts elements by bins, or adds up their weights. An element in no bin is left out.
struct HistogramPlan {
  DType dtype;
  const void* source = nullptr;
  int64_t count = 0;
  const double* weights = nullptr;  // null: elements are counted
  void* target = nullptr;           // int64, or double with weights; begins with zeros
  int64_t bins = 0;
  const double* edges = nullptr;  // bins + 1; null: the elements, integers, are the bins' numbers
  bool even = false;              // whether the edges lie at equal distances
  const Shape* shape = nullptr;   // for reports, outlives the plan
};

}  // namespace gpuarray
