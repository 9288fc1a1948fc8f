// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of a user's reduction or scan includes on the cpu device.
#pragma once

#include "kernels/element/layout.cuh"
#include "kernels/expression/expression_host.hpp"
#include "kernels/expression/fold_ops.cuh"
#include "kernels/reduce/computed.cuh"
#include "kernels/reduce/reduce_leaf.hpp"
#include "kernels/reduce/reduce_params.hpp"
#include "kernels/reduce/total_tree.hpp"
#include "kernels/scan/scan_params.hpp"
#include "kernels/scan/scan_stretch.cuh"

namespace gpuarray {

// Makes element i of a source that lies `step` apart, on request.
template <class Source>
struct Steps {
  Source source;
  int64_t step;

  auto operator[](int64_t i) const { return source[i * step]; }
};

// Combines the totals of leaves, in the order in which the cpu device's own reductions do.
template <class Reducer>
class LeafTotals {
  using Total = typename Reducer::accumulator;

 public:
  void add(const Total& leaf) {
    Total total = leaf;
    tree_.add(
        0, [&](int k) { levels_[k] = total; },
        [&](int k) { total = Reducer::combine(levels_[k], total); });
  }
  // Returns the total of all leaves, of which there is at least one.
  Total total() const {
    Total total{};
    bool is_first = true;
    tree_.finish([&](int k) {
      total = is_first ? levels_[k] : Reducer::combine(levels_[k], total);
      is_first = false;
    });
    return total;
  }

 private:
  TotalTree tree_;
  Total levels_[64];
};

// Reduces `count` elements of one result, those of each run `step` apart, in the order in which
// the cpu device's own reductions do.
template <class Reducer, int lanes, class Source>
typename Reducer::accumulator reduce_runs(const ReduceParams& p, const Source& source,
                                          int64_t length, int64_t step, int64_t leaf) {
  if (p.count == 0) return Reducer::identity();
  LeafTotals<Reducer> totals;
  for (int64_t begin = 0; begin < p.count; begin += length) {
    const Source run =
        source + offset_of(begin, p.count, p.reduced_ndim, p.reduced_shape, p.reduced_strides);
    for (int64_t done = 0; done < length; done += leaf)
      totals.add(reduce_leaf<Reducer, lanes>(Steps<Source>{run + done * step, step},
                                             length - done < leaf ? length - done : leaf,
                                             begin + done));
  }
  return totals.total();
}

// Reduces the elements of each output and writes the results to p.target. `source` is a pointer, or
// an object with its + and [] that makes each element when it is asked for, as for reduce_kernel.
template <class Reducer, class Source>
void reduce_on_host(const ReduceParams& p, const Source& source) {
  const int64_t length = p.reduced_ndim > 0 ? p.reduced_shape[p.reduced_ndim - 1] : 1;
  const int64_t step = p.reduced_ndim > 0 ? p.reduced_strides[p.reduced_ndim - 1] : 0;
  const bool columns = reduces_columns(p.kept_ndim > 0 ? p.kept_strides[p.kept_ndim - 1] : 0, step);
  const int64_t leaf = leaf_length(columns);
  for (int64_t output = 0; output < p.outputs; ++output) {
    const Source kept =
        source + offset_of(output, p.outputs, p.kept_ndim, p.kept_shape, p.kept_strides);
    const auto total =
        columns ? reduce_runs<Reducer, 1>(p, kept, length, step, leaf)
                : reduce_runs<Reducer, kReduceLanes<Reducer>>(p, kept, length, step, leaf);
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
