// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Cuts a reduction into threads, blocks and launches, by pure functions of shape, strides and
// alignment.
#pragma once

#include <cstdint>
#include <optional>

#include "backend/backend.hpp"
#include "kernels/reduce/reduce_params.hpp"
#include "kernels/reduce/short_rows_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// One launch of a reduction's kernel.
struct ReduceLaunch {
  ReduceParams params;  // the entries of its arrays beyond its ndims are not set
  uint32_t grid;        // blocks
  uint32_t block;       // threads
};

// Returns the first launch of the reduction, which is the only one if it has a single chunk.
// `itemsize` is that of the source in bytes; `spread` tells a variance or deviation, for which it
// costs more to combine threads.
ReduceLaunch plan_reduction(const ReducePlan& plan, int itemsize, int multiprocessors,
                            bool spread = false);

// A launch of the kernel of short rows.
struct ShortRowsLaunch {
  ShortRowsParams params;
  uint32_t grid;    // blocks
  bool is_aligned;  // whether the source is, to 16 bytes
};

// Returns the launch that reduces short rows with the same bits as `launch` and faster; nullopt if
// there is none, because the rows are not contiguous, too long or too few.
std::optional<ShortRowsLaunch> plan_short_rows(const ReduceLaunch& launch, int itemsize);

// Returns the second launch, which combines the results that the chunks of the first have left.
ReduceLaunch plan_finish(const ReduceLaunch& first);

}  // namespace gpuarray
