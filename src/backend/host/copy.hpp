// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <bit>
#include <cstdint>

#include "backend/loops/levels.hpp"

namespace gpuarray::host {

// Copies `count` elements of `itemsize` bytes, a power of two of at most 16, as a CopyLoop does.
inline void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step,
                          int64_t count, int itemsize) {
  loops::table().copies[std::countr_zero(static_cast<unsigned>(itemsize))](to, to_step, from,
                                                                           from_step, count);
}

}  // namespace gpuarray::host
