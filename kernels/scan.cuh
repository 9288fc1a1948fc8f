// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the scans along and across rows share. All results follow from shape, strides and alignment
// alone: tiles meet in a fixed association, so that every run gives the same bits.
#pragma once

#include "kernels/grid.cuh"
#include "kernels/inputs.cuh"
#include "kernels/layout.cuh"
#include "kernels/scan_params.hpp"
#include "kernels/scan_state.cuh"
#include "kernels/scan_stretch.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// Neighbours that a thread takes at once: up to 16 bytes of what is read and of what is written.
template <class Scanner>
inline constexpr int scan_items =
    vector_width<typename Scanner::value, typename Scanner::result> > 8
        ? 8
        : vector_width<typename Scanner::value, typename Scanner::result>;

// Element `begin` of a row in the source and the target.
template <class Scanner>
struct ScanRow {
  const typename Scanner::value* source;
  typename Scanner::result* target;

  __device__ ScanRow(const ScanParams& p, int64_t row, int64_t begin) {
    int64_t offsets[2];
    find_offsets(row, row <= 0xffffffff, p.kept_ndim, p.kept_shape, p.kept_strides, offsets);
    source =
        static_cast<const typename Scanner::value*>(p.source) + offsets[0] + begin * p.source_step;
    target = static_cast<typename Scanner::result*>(p.target) + offsets[1] + begin * p.target_step;
  }
};

}  // namespace gpuarray
