// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"

namespace gpuarray::ops {

// Returns the 2-norms along the last axis of a C-contiguous array of float32, float64, complex64 or
// complex128 on a CUDA device, which has an element at least. Queued on the current stream. Throws
// TypeError and ValueError for other arrays.
Array row_norms(const Array& a);

}  // namespace gpuarray::ops
