// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/reduced_rows.hpp"

#include <algorithm>
#include <bit>

#include "backend/grid.hpp"
#include "core/divide.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray::paths {
namespace {

// Returns the bytes of a thread's vectors of the operands that reductions need.
int64_t vector_bytes(const Operands& operands, uint32_t reduced, int width) {
  int64_t bytes = 0;
  for (int k = 0; k < operands.count; ++k)
    if ((reduced >> k & 1) != 0) bytes += itemsize(operands.dtypes[k]) * width;
  return bytes;
}

int64_t lanes_for(int64_t vectors, int64_t rounds) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(divide_up(vectors, rounds))));
}

}  // namespace

ReducedRowsWalk reduced_rows(const Operands& operands, uint32_t reduced) {
  RowsHead head = rows(operands).head;
  const int width = head.vectors != 0 ? operands.width : 1;
  const int64_t vectors = divide_up(head.columns, width);
  // Single elements are taken as many as vectors have, as far as code does not become long.
  const int64_t scale = std::min(operands.width / width, 4);
  int64_t lanes = std::max(
      lanes_for(std::min(vectors, kWarp), 1),
      std::min<int64_t>(lanes_for(vectors, kReducedRowsVectors * scale), kReducedRowsLanes));
  int64_t rounds = divide_up(vectors, lanes);
  const int64_t bytes = vector_bytes(operands, reduced, width);
  const auto fits = [&] {
    return rounds <= kReducedRowsMostVectors * scale && rounds * bytes <= kReducedRowsHeld;
  };
  while (!fits() && lanes < kReducedRowsMostLanes) rounds = divide_up(vectors, lanes *= 2);
  const bool held = fits();
  if (!held) {
    lanes = kReducedRowsLanes;
    rounds = kReducedRowsVectors;
  }
  const int64_t block = std::max<int64_t>(lanes, kRowsBlock);
  head.blocks = divide_up(head.rows, block / lanes);
  const Variant variant{.path = Path::rows,
                        .dims = operands.shape.size(),
                        .vectors = head.vectors != 0,
                        .wide = head.rows >= kNarrow - kRowsBlock,
                        .lanes = static_cast<int>(lanes),
                        .rounds = static_cast<int>(rounds),
                        .held = held,
                        .vector_operands = head.vectors};
  return {head, variant,
          LaunchShape::linear(std::min(head.blocks, kNarrow - 1), static_cast<int>(block))};
}

}  // namespace gpuarray::paths
