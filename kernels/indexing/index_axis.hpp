// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// From an index to an offset along an axis, for host and device.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// What is done with an index beyond the axis; `resolved` ones are positions, or kNowhere.
enum class IndexMode : int32_t { raise, wrap, clip, resolved };

inline constexpr int64_t kNowhere = int64_t(uint64_t(1) << 63);

// The first index of a device that was out of bounds, in host memory that kernels write. `state` is
// 0, then 1 while the fields are written, then 2 until the host has raised it.
struct IndexErrorRecord {
  uint32_t state;
  int32_t axis;
  int64_t index;
  int64_t length;
  const char* operation;  // lives for the process
};

struct IndexAxis {
  int64_t length;
  int64_t stride;  // between neighbours along the axis
  IndexMode mode;
  int32_t axis;              // for the report, as are the following
  const char* operation;     // lives for the process
  IndexErrorRecord* record;  // on cuda

  // The offset of `index`; false where there is none. Kernels in which a division would cost much
  // are given no indices that wrap.
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
