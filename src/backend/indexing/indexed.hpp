// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the launches of indexing with arrays share.
#pragma once

#include "backend/indexing.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Queues a scatter of many values into a long axis by sorting them into buckets; of several for one
// element the last wins. Returns false, with nothing queued, if the plan is of another kind.
bool scatter_in_buckets(const IndexedPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
