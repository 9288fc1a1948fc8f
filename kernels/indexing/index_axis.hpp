// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How an index becomes an offset along an axis, for host and device.
#pragma once

#include "kernels/errors/noted_error.hpp"

namespace gpuarray {

// What happens to an index outside of the axis. Indices that are `resolved` have been checked
// already: they are positions, or kNowhere.
enum class IndexMode : int32_t { raise, wrap, clip, resolved };

// The resolved index of an element that does not exist.
inline constexpr int64_t kNowhere = int64_t(uint64_t(1) << 63);

// Describes an indexed axis: how its indices become offsets, and what an error reports.
struct IndexAxis {
  int64_t length;  // elements
  int64_t stride;  // from one position to the next
  IndexMode mode;
  int32_t axis;           // number of the axis, for the error
  const char* operation;  // name of the operation, for the error; lives for the process
  ErrorRecord* record;    // where kernels on cuda note the error

  // Sets `offset` to that of `index`, in units of `stride`, and returns whether the index has one.
  // Kernels in which a division would be costly pass false for kWraps and are given no axes in mode
  // `wrap`.
  template <bool kWraps = true>
  GPUARRAY_HD bool find(int64_t index, int64_t& offset) const {
    bool found = true;
    if (mode == IndexMode::raise) {
      index += index < 0 ? length : 0;
      found = uint64_t(index) < uint64_t(length);
    } else if (mode == IndexMode::resolved) {
      found = index != kNowhere;
    } else if (kWraps && mode == IndexMode::wrap) {
      index %= length;
      index += index < 0 ? length : 0;
    } else {
      index = index < 0 ? 0 : index >= length ? length - 1 : index;
    }
    offset = index * stride;
    return found;
  }
};

}  // namespace gpuarray
