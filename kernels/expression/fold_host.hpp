// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of a user's reduction or scan includes on the cpu device.
#pragma once

#include "kernels/element/layout.cuh"
#include "kernels/expression/expression_host.hpp"
#include "kernels/expression/fold_ops.cuh"
#include "kernels/reduce/reduce_params.hpp"
#include "kernels/reduce/reduce_row.hpp"
#include "kernels/scan/scan_params.hpp"
#include "kernels/scan/scan_stretch.cuh"

namespace gpuarray {

// Reduces the elements of each output and writes the results to p.target. `source` is a pointer, or
// an object with its + and [] that makes each element when it is asked for, as for reduce_kernel.
template <class Reducer, class Source>
void reduce_on_host(const ReduceParams& p, const Source& source) {
  const int64_t length = p.reduced_ndim > 0 ? p.reduced_shape[p.reduced_ndim - 1] : 1;
  const int64_t step = p.reduced_ndim > 0 ? p.reduced_strides[p.reduced_ndim - 1] : 0;
  for (int64_t output = 0; output < p.outputs; ++output) {
    const Source kept =
        source + offset_of(output, p.outputs, p.kept_ndim, p.kept_shape, p.kept_strides);
    auto total = Reducer::identity();
    for (int64_t begin = 0; begin < p.count; begin += length)
      total = Reducer::combine(
          total, reduce_row<Reducer>(kept + offset_of(begin, p.count, p.reduced_ndim,
                                                      p.reduced_shape, p.reduced_strides),
                                     step, length, begin));
    static_cast<typename Reducer::result*>(
        p.target)[offset_of(output, p.outputs, p.kept_ndim, p.kept_shape, p.target_strides)] =
        Reducer::finish(total);
  }
}

// Scans each row and writes the results to p.target. `source` is as for reduce_on_host.
template <class Scanner, class Source>
void scan_on_host(const ScanParams& p, const Source& source) {
  for (int64_t row = 0; row < p.rows; ++row) {
    int64_t offsets[2];
    find_offsets(row, row <= 0xffffffff, p.kept_ndim, p.kept_shape, p.kept_strides, offsets);
    const Source from = source + offsets[0];
    auto* target = static_cast<typename Scanner::result*>(p.target) + offsets[1];
    Stretch<Scanner> running{};
    for (int64_t i = 0; i < p.length; ++i)
      target[i * p.target_step] = running.step(from[i * p.source_step]);
  }
}

}  // namespace gpuarray
