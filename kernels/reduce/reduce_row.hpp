// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The reduction of one row on the host.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Combines `count` elements that lie `step` elements apart, the first of which has index `index`.
// It halves the row recursively (pairwise summation: Higham, 1993), so that the error grows with
// the logarithm of `count`. `source` is a pointer, or an object with its + and [].
template <class Reducer, class Source>
typename Reducer::accumulator reduce_row(Source source, int64_t step, int64_t count,
                                         int64_t index) {
  constexpr int64_t kBlock = 256;
  constexpr int kLanes = 8;
  if (count > kBlock) {
    int64_t half = count / 2 / kLanes * kLanes;
    return Reducer::combine(
        reduce_row<Reducer>(source, step, half, index),
        reduce_row<Reducer>(source + half * step, step, count - half, index + half));
  }
  typename Reducer::local lanes[kLanes];
  for (auto& lane : lanes) lane = Reducer::start();
  uint32_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      Reducer::step(lanes[lane], source[(i + lane) * step], i + lane);
  for (; i < count; ++i) Reducer::step(lanes[0], source[i * step], i);
  typename Reducer::accumulator totals[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) totals[lane] = Reducer::widen(lanes[lane], index);
  for (int span = kLanes / 2; span > 0; span /= 2)
    for (int lane = 0; lane < span; ++lane)
      totals[lane] = Reducer::combine(totals[lane], totals[lane + span]);
  return totals[0];
}

}  // namespace gpuarray
