// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch of a reduction passes to its kernel, by value. Shared with the host, which fills it
// (src/backend/reduce_launch.cpp).
#pragma once

#include "kernels/elementwise/params.hpp"

namespace gpuarray {

// Reducers whose finish() takes what to divide by.
template <class Reducer>
concept Averaging =
    requires(typename Reducer::accumulator total) { Reducer::finish(total, double{}); };

enum class ReducePath : int32_t {
  rows,      // the innermost reduced axis is contiguous: 16 bytes a load along it
  columns,   // the innermost kept axis is: 16 bytes of neighbouring outputs a load
  general,   // any strides, one element a load
  partials,  // what an earlier launch left in `partials`: `count` for each output
};

// A unit is what one thread gathers for: an output, or on `columns` 16 bytes of them. Its `count`
// elements lie in runs along the innermost reduced axis, and are cut into `chunks` of `chunk_size`;
// block b takes chunk b / unit_blocks, and in it `lanes` threads a unit, `span` of them a run.
// Thread t = (outer * lanes + lane) * adjacent + inner serves unit outer * adjacent + inner of the
// block. With several chunks the results go to `partials`[chunk][output], which a second launch
// finishes.
struct ReduceParams {
  int64_t outputs;
  int64_t units;
  int64_t count;
  int64_t chunk_size;
  int64_t run;  // elements
  uint32_t chunks;
  uint32_t unit_blocks;
  uint32_t lanes;  // a power of two, as span and adjacent
  uint32_t span;   // up to lanes
  uint32_t adjacent;
  ReducePath path;
  int32_t kept_ndim;
  int32_t reduced_ndim;
  const void* source;
  void* target;
  void* partials;
  double divisor;  // of averages
  int64_t kept_shape[kParamDims];
  int64_t kept_strides[kParamDims];    // of the source, elements
  int64_t target_strides[kParamDims];  // along kept, elements
  int64_t reduced_shape[kParamDims];
  int64_t reduced_strides[kParamDims];  // of the source, elements
};

}  // namespace gpuarray
