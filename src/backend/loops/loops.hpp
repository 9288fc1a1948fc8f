// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The inner loops of the cpu device over the functors of kernels/. They know pointers, counts and
// steps, and are compiled once for each level of the processor (loops.cpp).
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "core/op.hpp"

namespace gpuarray::loops {

// Computes `count` elements: operand 0 is written, the others are read. Operand k begins at data[k]
// and is contiguous, except that some may be repeated: steps[k] is 1 or 0. These are either operand
// of a binary loop, and operands 2 and 3 of a ternary one.
// The result may be an operand itself but does not overlap one otherwise.
using RowLoop = void (*)(char* const* data, const int64_t* steps, int64_t count);

// How a mean or a variance is made of its total; the same as Average of reduce_params.hpp.
struct Finish {
  double divisor = 1;
  bool root = false;
  double correction = 0;
};

// The parts of one reduction. A total is what reduces a leaf (kernels/reduce/reduce_leaf.hpp);
// totals are `total_bytes` large and lie one after the other. Where only finish() is there, the
// elements are converted, and the loops of float32 reduce them; those of float64 for averages.
struct ReduceLoops {
  int64_t total_bytes = 0;
  // Sets totals of no elements.
  void (*start)(void* totals, int64_t count) = nullptr;
  // Reduces each of `rows` contiguous runs of `count` elements, which begin `row_step` elements
  // apart, to a total. The first element of each run has index `index`.
  void (*rows)(const void* source, int64_t row_step, int64_t rows, int64_t count, int64_t index,
               void* totals) = nullptr;
  // Reduces each of `columns` neighbouring columns of `count` elements, which lie `step` apart.
  void (*columns)(const void* source, int64_t columns, int64_t step, int64_t count, int64_t index,
                  void* totals) = nullptr;
  // Replaces each total by its combination with the other one, which follows it.
  void (*combine)(void* totals, const void* others, int64_t count) = nullptr;
  // Writes the results of `count` totals to elements of the target `step` apart.
  void (*finish)(const void* totals, int64_t count, const Finish& how, void* target,
                 int64_t step) = nullptr;
};

// Accumulates along an axis of `length` elements that lie source_step and target_step apart, for
// each of `columns` neighbours that lie source_column and target_column apart.
struct ScanRows {
  const void* source;
  void* target;
  int64_t length;
  int64_t source_step, target_step;
  int64_t columns;
  int64_t source_column, target_column;
};
using ScanLoop = void (*)(const ScanRows& rows);

// Copies `count` elements between memory that does not overlap. Steps count elements; a source step
// of 0 repeats one element.
using CopyLoop = void (*)(char* to, int64_t to_step, const char* from, int64_t from_step,
                          int64_t count);

// Fill `count` elements of a random order, from element `first` on (distribution_orders.cuh): words
// to sort by, and places in a permutation of [0, population), which is at most 2^53.
using SortWordLoop = void (*)(uint64_t key, int64_t first, int64_t count, uint64_t* words);
using PlaceLoop = void (*)(uint64_t key, int64_t population, int64_t first, int64_t count,
                           int64_t* places);

// All loops; null where there is none. Those of elements in float16 and bfloat16 that are null are
// computed by the loops of float32.
struct Loops {
  RowLoop elementwise[kOpCount][kDTypeCount] = {};
  RowLoop casts[kDTypeCount][kDTypeCount] = {};  // [from][to]
  CopyLoop copies[5] = {};                       // of elements of 2^i bytes
  // reductions[0] and scans[0] compute in the source's dtype, [1] in the default dtype of sums and
  // averages where that is another one.
  ReduceLoops reductions[2][kReductionCount][kDTypeCount] = {};
  ScanLoop scans[2][kScanCount][kDTypeCount] = {};
  SortWordLoop sort_words = nullptr;
  PlaceLoop places = nullptr;
};

// Each adds the loops of its class of dtypes. The classes are separate source files so that they
// are compiled in parallel.
void add_integer_loops(Loops& loops);
void add_half_loops(Loops& loops);
void add_float_loops(Loops& loops);
void add_complex_loops(Loops& loops);
// Adds real functions of complex numbers after add_complex_loops, whose compilation lacks fused
// multiply-adds, with which exact errors of products take fewer instructions.
void add_parts_loops(Loops& loops);
void add_casts(Loops& loops);
void add_copies(Loops& loops);
void add_orders(Loops& loops);
void add_integer_reductions(Loops& loops);
void add_half_reductions(Loops& loops);
void add_float_reductions(Loops& loops);
void add_complex_reductions(Loops& loops);
void add_integer_scans(Loops& loops);
void add_half_scans(Loops& loops);
void add_float_scans(Loops& loops);
void add_complex_scans(Loops& loops);

}  // namespace gpuarray::loops
