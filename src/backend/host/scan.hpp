// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/backend.hpp"
#include "backend/host/walk.hpp"
#include "kernels/scan/scan_stretch.cuh"

namespace gpuarray::host {

using ScanLoop = void (*)(const ScanPlan& plan);

// The loop of each scan for each dtype of the source.
struct ScanTable {
  // loops[0] compute in the source's dtype, loops[1] in that of default_sum_dtype().
  ScanLoop loops[2][kScanCount][kDTypeCount] = {};
};

// Each adds the loops of its class of dtypes.
void add_integer_scans(ScanTable& table);
void add_half_scans(ScanTable& table);
void add_float_scans(ScanTable& table);
void add_complex_scans(ScanTable& table);

// Runs a scan. Neighbouring rows are scanned together, so that memory is read along the innermost
// kept axis.
template <class Scanner>
void scan_loop(const ScanPlan& plan) {
  constexpr int64_t kTogether = 64;
  const int inner = plan.kept.size() - 1;
  const int64_t columns = inner < 0 ? 1 : plan.kept[inner];
  const int64_t source_stride = inner < 0 ? 0 : plan.source_strides[inner];
  const int64_t target_stride = inner < 0 ? 0 : plan.target_strides[inner];
  Shape outer = plan.kept;
  if (inner >= 0) outer.erase(inner);
  int64_t rows = 1;
  for (int64_t extent : outer) rows *= extent;
  OffsetWalk walk(outer, &plan.source_strides, &plan.target_strides);
  for (int64_t row = 0; row < rows; ++row, walk.next())
    for (int64_t done = 0; done < columns; done += kTogether) {
      const int64_t count = std::min(kTogether, columns - done);
      const auto* source = static_cast<const stored_t<typename Scanner::value>*>(plan.source) +
                           walk.offset(0) + done * source_stride;
      auto* target = static_cast<typename Scanner::result*>(plan.target) + walk.offset(1) +
                     done * target_stride;
      Stretch<Scanner> running[kTogether] = {};
      for (int64_t i = 0; i < plan.length; ++i)
        for (int64_t column = 0; column < count; ++column)
          target[i * plan.target_step + column * target_stride] =
              running[column].step(source[i * plan.source_step + column * source_stride]);
    }
}

}  // namespace gpuarray::host
