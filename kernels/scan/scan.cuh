// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the scans along rows and across them share. Elements are combined in an order that follows
// from shape, strides and alignment alone, so that every run gives the same bits.
#pragma once

#include "kernels/element/grid.cuh"
#include "kernels/element/inputs.cuh"
#include "kernels/element/layout.cuh"
#include "kernels/reduce/reduce_runs.cuh"
#include "kernels/scan/scan_params.hpp"
#include "kernels/scan/scan_state.cuh"
#include "kernels/scan/scan_stretch.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// The neighbouring elements that a thread takes at once: at most 8, and at most 16 bytes both of
// the source and of the target.
template <class Scanner>
inline constexpr int scan_items =
    vector_width<typename Scanner::value, typename Scanner::result> > 8
        ? 8
        : vector_width<typename Scanner::value, typename Scanner::result>;

// Holds the offsets, in elements, of element `begin` of a row in the source and in the target.
struct ScanPlace {
  int64_t offsets[2];

  __device__ ScanPlace(const ScanParams& p, int64_t row, int64_t begin) {
    find_offsets(row, row <= 0xffffffff, p.kept_ndim, p.kept_shape, p.kept_strides, offsets);
    offsets[0] += begin * p.source_step;
    offsets[1] += begin * p.target_step;
  }
  template <class T>
  __device__ T* in_target(const ScanParams& p) const {
    return static_cast<T*>(p.target) + offsets[1];
  }
};

}  // namespace gpuarray
