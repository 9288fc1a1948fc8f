// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "kernels/sort/histogram_params.hpp"
#include "kernels/sort/search_params.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Both of `dtype`, and contiguous; `shape` is that of the queries. What the blocks keep is chosen
// here.
void cuda_search(DType dtype, SearchParams params, const Shape& shape, const StreamPtr& stream);

// Of `dtype`, contiguous. What the blocks keep is chosen here.
void cuda_histogram(DType dtype, HistogramParams params, const Shape& shape,
                    const StreamPtr& stream);

}  // namespace gpuarray
