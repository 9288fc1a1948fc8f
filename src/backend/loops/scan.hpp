// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/loops.hpp"
#include "kernels/scan/scan_ops.cuh"

// The loops of scans over the scanners of kernels/scan.
namespace gpuarray::loops {

// Scans neighbouring columns side by side, so that the compiler makes vectors of them.
template <class Scanner>
void scan_columns(const ScanRows& rows, int64_t begin, int64_t count) {
  using Accumulator = typename Scanner::accumulator;
  constexpr int64_t kMost = 256;
  const auto* source = static_cast<const stored_t<typename Scanner::value>*>(rows.source) +
                       begin * rows.source_column;
  auto* target = static_cast<typename Scanner::result*>(rows.target) + begin * rows.target_column;
  Accumulator totals[kMost];
  for (int64_t c = 0; c < count; ++c) {
    totals[c] = Scanner::lift(source[c]);
    target[c] = Scanner::finish(totals[c]);
  }
  for (int64_t i = 1; i < rows.length; ++i) {
    source += rows.source_step;
    target += rows.target_step;
#pragma GCC ivdep
    for (int64_t c = 0; c < count; ++c) {
      totals[c] = Scanner::combine(totals[c], Scanner::lift(source[c]));
      target[c] = Scanner::finish(totals[c]);
    }
  }
}

// Scans `count` rows, a constant, element by element.
template <class Scanner, int count>
void scan_rows(const ScanRows& rows, int64_t begin) {
  const auto* source = static_cast<const stored_t<typename Scanner::value>*>(rows.source) +
                       begin * rows.source_column;
  auto* target = static_cast<typename Scanner::result*>(rows.target) + begin * rows.target_column;
  typename Scanner::accumulator totals[count];
  for (int c = 0; c < count; ++c) {
    totals[c] = Scanner::lift(source[c * rows.source_column]);
    target[c * rows.target_column] = Scanner::finish(totals[c]);
  }
  for (int64_t i = 1; i < rows.length; ++i)
    for (int c = 0; c < count; ++c) {
      totals[c] = Scanner::combine(
          totals[c], Scanner::lift(source[c * rows.source_column + i * rows.source_step]));
      target[c * rows.target_column + i * rows.target_step] = Scanner::finish(totals[c]);
    }
}

template <class Scanner>
void scan_loop(const ScanRows& rows) {
  constexpr int64_t kColumns = 256;
  constexpr int kRows = 4;
  int64_t begin = 0;
  if (rows.source_column == 1 && rows.target_column == 1) {
    for (; begin < rows.columns; begin += kColumns)
      scan_columns<Scanner>(rows, begin,
                            rows.columns - begin < kColumns ? rows.columns - begin : kColumns);
    return;
  }
  for (; begin + kRows <= rows.columns; begin += kRows) scan_rows<Scanner, kRows>(rows, begin);
  for (; begin < rows.columns; ++begin) scan_rows<Scanner, 1>(rows, begin);
}

}  // namespace gpuarray::loops
