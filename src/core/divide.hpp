// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// How many parts of size `part` hold `count`, for count >= 0 and part > 0.
constexpr int64_t divide_up(int64_t count, int64_t part) { return (count + part - 1) / part; }

// The least multiple of `part` that is not less than `count`.
constexpr int64_t round_up(int64_t count, int64_t part) { return divide_up(count, part) * part; }

}  // namespace gpuarray
