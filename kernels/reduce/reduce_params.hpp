// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a reduction passes to its kernel by value. The host includes this file too, and
// fills it (src/backend/reduce_launch.cpp).
#pragma once

#include "kernels/element/element.cuh"
#include "kernels/element/param_dims.hpp"

namespace gpuarray {

// How an average is made of the total.
struct Average {
  double divisor;
  bool root;          // whether a variance becomes a standard deviation
  double correction;  // what a variance that counts its elements itself subtracts from their number
};

// Returns how `count` elements are averaged; a variance subtracts `correction` from their number.
GPUARRAY_HD Average average_of(int64_t count, double correction, bool root) {
  const double divisor = double(count) - correction;
  return {divisor > 0 ? divisor : 0, root, correction};
}

// A reducer whose finish() takes an Average as a second argument.
template <class Reducer>
concept Averaging =
    requires(typename Reducer::accumulator total) { Reducer::finish(total, Average{}); };

// Returns the result of a total.
template <class Reducer>
GPUARRAY_HD typename Reducer::result finished(const typename Reducer::accumulator& total,
                                              const Average& average) {
  if constexpr (Averaging<Reducer>)
    return Reducer::finish(total, average);
  else
    return Reducer::finish(total);
}

// Says how the threads of a reduction lie over the source.
enum class ReducePath : int32_t {
  rows,      // the innermost reduced axis is contiguous: loads of 16 bytes along it
  columns,   // the innermost kept axis is contiguous: loads of a pack of neighbouring outputs
  general,   // any strides: loads of one element
  partials,  // combines the `count` partial results of each output of an earlier launch
};

// A unit is what one thread gathers for: an output, or on path `columns` a pack of neighbouring
// outputs (ColumnPack). The `count` elements of each output lie in runs along the innermost reduced
// axis and are cut into `chunks` of `chunk_size` elements. Block b takes chunk b / unit_blocks;
// `lanes` of its threads share a unit, and `span` of these share a run.
// Thread t = (outer * lanes + lane) * adjacent + inner serves unit outer * adjacent + inner of the
// block. With several chunks the totals go to `partials`[chunk][output], which a second launch
// combines.
struct ReduceParams {
  int64_t outputs;
  int64_t units;
  int64_t count;
  int64_t chunk_size;
  int64_t run;  // elements of a run
  uint32_t chunks;
  uint32_t unit_blocks;
  uint32_t lanes;     // a power of two, as are span and adjacent
  uint32_t span;      // at most lanes
  uint32_t adjacent;  // units whose elements lie side by side
  ReducePath path;
  int32_t kept_ndim;
  int32_t reduced_ndim;
  const void* source;
  void* target;
  void* partials;
  Average average;
  int64_t kept_shape[kParamDims];
  int64_t kept_strides[kParamDims];    // of the source; elements
  int64_t target_strides[kParamDims];  // along the kept axes; elements
  int64_t reduced_shape[kParamDims];
  int64_t reduced_strides[kParamDims];  // of the source; elements
};

}  // namespace gpuarray
