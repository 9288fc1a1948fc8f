// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/backend.hpp"
#include "backend/expression.hpp"
#include "backend/host/loops.hpp"

namespace gpuarray {

struct ExpressionText;

// The backend of the cpu device; lives for the process.
Backend& host_backend();

// The function kSymbol of a source that was made of the text, for the host; lives for the process.
// CompileError for a text that does not compile, DeviceError without a compiler.
void* compile_for_host(const ExpressionText& text, const std::string& source);

namespace host {

void run_expression(Expression& expression, const ExpressionPlan& plan);
void matmul(DType dtype, const MatmulPlan& plan);
void gather(const IndexedPlan& plan);
void scatter(const IndexedPlan& plan);
void combine(RowLoop loop, const IndexedPlan& plan);  // of three operands of the plan's dtype
void count_true(const bool* mask, int64_t size, const MaskFlags& found);
void select(const SelectPlan& plan, bool spreads);
void nonzero(const NonzeroPlan& plan);
void sort(const SortPlan& plan);
void argsort(const SortPlan& plan);
void count_runs(const RunsPlan& plan);
void search(const SearchPlan& plan);
void histogram(const HistogramPlan& plan);

// Rows of neighbours that a library sorts; bfloat16 never is among their dtypes, and bools are 0
// or 1.
struct SortedRows {
  DType dtype;
  void* data;
  int64_t rows;
  int64_t length;
  bool backwards;  // whether each row runs from its last element to its first
};

// The library that sorts for the cpu device, for `py` to set before anything is sorted.
struct SortLibrary {
  // Sorts each row in place, NaN last.
  void (*sort)(const SortedRows& keys);
  // Writes the positions that sort each row, contiguous; `stable` ones keep the order of equal
  // elements. The keys are not written.
  void (*argsort)(const SortedRows& keys, bool stable, int64_t* positions);
};
void set_sort_library(const SortLibrary& library);

// A library's product for the large ones of float32, float64 and complex dtypes, not scaled; for
// `py` to set.
void set_matmul_library(void (*multiply)(DType dtype, const MatmulPlan& plan));

}  // namespace host
}  // namespace gpuarray
