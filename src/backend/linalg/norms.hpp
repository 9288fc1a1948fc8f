// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Queues the norms of `rows` rows of `columns` numbers, float32 or float64, which follow each other
// in memory, on the stream of a CUDA device. The caller keeps the memory open. Squares are added in
// float64, in an order that the numbers of rows and columns decide. Throws what launching and
// allocating throw.
void row_norms(const void* source, void* target, DType dtype, int64_t rows, int64_t columns,
               const StreamPtr& stream, const LaunchLabel& label);

}  // namespace gpuarray
