// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "backend/host/reduce.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "backend/loops/levels.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {

void scan(Scan scan, DType loop, const ScanPlan& plan) {
  const DType source = plan.source_dtype;
  const loops::ScanLoop run =
      loops::table().scans[source != loop][static_cast<int>(scan)][static_cast<int>(source)];
  const int inner = plan.kept.size() - 1;
  const int64_t columns = inner < 0 ? 1 : plan.kept[inner];
  const int64_t source_column = inner < 0 ? 0 : plan.source_strides[inner];
  const int64_t target_column = inner < 0 ? 0 : plan.target_strides[inner];
  Shape outer = plan.kept;
  if (inner >= 0) outer.erase(inner);
  const int64_t rows = element_count(outer) * columns;
  const int64_t row_bytes = plan.length * (itemsize(source) + itemsize(loop));
  // Pieces of whole vectors of neighbouring columns.
  const int64_t grain = round_up(elements_of_piece(rows, row_bytes), 64);
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    OffsetWalk walk(outer, &plan.source_strides, &plan.target_strides);
    walk.seek(begin / columns);
    for (int64_t row = begin; row < end; walk.next()) {
      const int64_t first = row % columns, count = std::min(columns - first, end - row);
      run({static_cast<const char*>(plan.source) +
               (walk.offset(0) + first * source_column) * itemsize(source),
           static_cast<char*>(plan.target) +
               (walk.offset(1) + first * target_column) * itemsize(loop),
           plan.length, plan.source_step, plan.target_step, count, source_column, target_column});
      row += count;
    }
  });
}

}  // namespace gpuarray::host
