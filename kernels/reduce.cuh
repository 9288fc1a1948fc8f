// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Reductions: `lanes` threads walk one output's elements and combine in a tree, so the order is
// fixed by the shape.
#pragma once

#include "kernels/layout.cuh"
#include "kernels/tuning.hpp"

namespace gpuarray {

// What one lane gathers of job = chunk * outputs + output.
template <class Reducer>
__device__ typename Reducer::accumulator gather(const ReduceParams& p, int64_t output,
                                                int64_t chunk, int lane) {
  using Accumulator = typename Reducer::accumulator;
  int64_t begin = chunk * p.chunk_size;
  int64_t end = begin + p.chunk_size < p.count ? begin + p.chunk_size : p.count;
  Accumulator total = Reducer::identity();
  if (p.from_partials) {
    const auto* partials = static_cast<const Accumulator*>(p.partials) + output;
    for (int64_t i = begin + lane; i < end; i += p.lanes)
      total = Reducer::combine(total, partials[i * p.outputs]);
    return total;
  }
  int64_t base[1];
  find_offsets(output, p.outputs <= 0xffffffff, p.kept_ndim, p.kept_shape, &p.kept_strides, base);
  const auto* source = static_cast<const typename Reducer::value*>(p.source) + base[0];
  bool narrow = p.count <= 0xffffffff;
  for (int64_t i = begin + lane; i < end; i += p.lanes) {
    int64_t at[1];
    if (p.reduced_ndim == 1)
      at[0] = i * p.reduced_strides[0];
    else
      find_offsets(i, narrow, p.reduced_ndim, p.reduced_shape, &p.reduced_strides, at);
    total = Reducer::combine(total, Reducer::load(source[at[0]], i));
  }
  return total;
}

template <class Reducer>
__device__ void store(const ReduceParams& p, int64_t output, int64_t job,
                      const typename Reducer::accumulator& total) {
  if (p.chunks > 1) {
    static_cast<typename Reducer::accumulator*>(p.partials)[job] = total;
    return;
  }
  int64_t at[1];
  find_offsets(output, p.outputs <= 0xffffffff, p.kept_ndim, p.kept_shape, &p.target_strides, at);
  static_cast<typename Reducer::result*>(p.target)[at[0]] = Reducer::finish(total);
}

template <class Reducer>
__device__ void reduce_kernel(const ReduceParams& p) {
  __shared__ typename Reducer::accumulator totals[kReduceBlock];
  int groups = kReduceBlock / p.lanes;
  int thread = threadIdx.x;
  int lane = p.adjacent_outputs ? thread / groups : thread % p.lanes;
  int group = p.adjacent_outputs ? thread % groups : thread / p.lanes;
  int slot = group * p.lanes + lane;
  int64_t jobs = p.outputs * p.chunks;
  for (int64_t first = int64_t(blockIdx.x) * groups; first < jobs;
       first += int64_t(gridDim.x) * groups) {
    int64_t job = first + group;
    int64_t output = job % p.outputs;
    totals[slot] =
        job < jobs ? gather<Reducer>(p, output, job / p.outputs, lane) : Reducer::identity();
    __syncthreads();
    for (int span = p.lanes / 2; span > 0; span /= 2) {
      if (lane < span) totals[slot] = Reducer::combine(totals[slot], totals[slot + span]);
      __syncthreads();
    }
    if (lane == 0 && job < jobs) store<Reducer>(p, output, job, totals[slot]);
    __syncthreads();
  }
}

}  // namespace gpuarray
