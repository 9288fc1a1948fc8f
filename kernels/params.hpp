// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a launch passes to its kernel, by value. Shared with the host, which fills it.
#pragma once

#include "kernels/element.cuh"

namespace gpuarray {

inline constexpr int kParamDims = 32;

// Walks a shape; operand 0 is written, the others are read.
template <int Operands>
struct ElementwiseParams {
  int64_t size;
  int32_t ndim;
  int64_t shape[kParamDims];
  int64_t strides[Operands][kParamDims];  // elements
  void* data[Operands];                   // null: the scalar of the same index
  alignas(16) unsigned char scalars[Operands][16];
};

// Reduces `count` elements for each of `outputs`, in `chunks` parts of `chunk_size`. With more than
// one chunk the partial results go to `partials`[output][chunk], and a second launch with
// `from_partials` finishes.
struct ReduceParams {
  int64_t outputs;
  int64_t count;
  int64_t chunks;
  int64_t chunk_size;
  int32_t lanes;          // threads that share one output, a power of two up to the block's size
  bool adjacent_outputs;  // neighbouring threads take neighbouring outputs rather than elements
  bool from_partials;
  int32_t kept_ndim;
  int32_t reduced_ndim;
  int64_t kept_shape[kParamDims];
  int64_t kept_strides[kParamDims];    // of the source, elements
  int64_t target_strides[kParamDims];  // along kept, elements
  int64_t reduced_shape[kParamDims];
  int64_t reduced_strides[kParamDims];  // of the source, elements
  const void* source;
  void* target;
  void* partials;
};

struct MatmulParams {
  int64_t m, n, k;
  int64_t batches;
  int32_t batch_ndim;
  int64_t batch_shape[kParamDims];
  int64_t batch_strides[3][kParamDims];  // of target, a, b, elements
  int64_t strides[3][2];                 // row and column of target, a, b, elements
  void* data[3];
};

}  // namespace gpuarray
