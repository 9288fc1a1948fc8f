// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/sorting.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// These are Backend's functions of the same names, with their contracts, on a CUDA device.
void cuda_search(const SearchPlan& plan, const StreamPtr& stream);
void cuda_histogram(const HistogramPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
