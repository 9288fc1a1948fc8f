// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the launches of indexing with arrays share.
#pragma once

#include "backend/indexing.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Returns the axis as kernels take it, with `step` elements from one position to the next.
IndexAxis axis_of(const IndexedPlan& plan, const IndexedPlan::Axis& axis, int64_t step,
                  const Stream& stream);

// Returns a plan of the same meaning with one indexed axis that is not in mode `wrap`. Sets
// `positions` to the memory that it uses, if any, whose computation is queued on `stream`.
IndexedPlan plan_of_one_axis(const IndexedPlan& plan, BufferPtr& positions,
                             const StreamPtr& stream);

// Queues a scatter of many values into a long axis by sorting them into buckets; of several for one
// element the last wins. Returns false, with nothing queued, if the plan is of another kind.
bool scatter_in_buckets(const IndexedPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
