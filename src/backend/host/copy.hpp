// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray::host {

// Copies `count` elements of `itemsize` bytes (a power of two, at most 16) between memory that does
// not overlap. Steps count elements; a source step of 0 repeats one element.
void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count,
                   int itemsize);

}  // namespace gpuarray::host
