// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/levels.hpp"

namespace gpuarray::host {

// The least number of elements for which a lookup is faster than computing the results.
inline constexpr int64_t kLeastLookup = 4096;

// Returns a loop that looks the results of an operation on elements of 16 bits up in a table of
// all, and gives the bits that the loops of float32 do. Returns null where computing is faster. The
// table, of 128 KiB, is made at the first call for an operation and a dtype. Thread-safe.
loops::RowLoop half_lookup(Op op, DType dtype);

}  // namespace gpuarray::host
