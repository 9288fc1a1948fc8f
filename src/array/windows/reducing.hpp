// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/joining.hpp"

namespace gpuarray::ops {

// Queues a reduction that computes what it reduces by operations that wait, which stay as they
// are. Returns false if it does not: then all that waited has run. Throws what this throws, and
// what the launch throws.
bool reduce_waiting(const Reducing& reducing);

}  // namespace gpuarray::ops
