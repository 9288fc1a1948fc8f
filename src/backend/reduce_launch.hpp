// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How a reduction is cut into threads, blocks and launches; pure functions of shape, strides and
// alignment.
#pragma once

#include <cstdint>

#include "backend/backend.hpp"
#include "kernels/reduce/reduce_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

struct ReduceLaunch {
  ReduceParams params;  // axes beyond its ndims are not set
  uint32_t grid;
  uint32_t block;
};

// The first launch, or the only one if it has one chunk. `itemsize`: of the source, bytes;
// `vectors_per_lane`: loads of a row that a thread is worth.
ReduceLaunch plan_reduction(const ReducePlan& plan, int itemsize, int multiprocessors,
                            int64_t vectors_per_lane = kReduceVectorsPerLane);

// The second, which finishes the chunks of the first.
ReduceLaunch plan_finish(const ReduceLaunch& first);

}  // namespace gpuarray
