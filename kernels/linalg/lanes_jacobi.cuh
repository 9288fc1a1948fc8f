// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Jacobi's rotations of columns that the lanes hold in registers.
#pragma once

#include "kernels/linalg/lanes_lu.cuh"
#include "kernels/linalg/lanes_qr.cuh"

namespace gpuarray::linalg {

// Calls visit(i) for the first `count` of L indices, and a few more, so that they are constants
// once loops are unrolled.
template <int L, class Visit>
__device__ void for_rows(int count, const Visit& visit) {
#pragma unroll
  for (int begin = 0; begin < L; begin += 8)
    if (begin < count)
#pragma unroll
      for (int i = 0; i < 8; ++i) visit(begin + i);
}

// Returns the lane whose column meets that of `lane` in a round of `count` - 1, in which all pairs
// of an even count of columns meet once, as in a tournament; the lane itself if it is none of them.
__device__ inline int opponent(int lane, int round, int count) {
  if (lane >= count) return lane;
  if (lane == count - 1) return round;
  if (lane == round) return count - 1;
  const int other = 2 * round - lane;
  return other < 0 ? other + count - 1 : other >= count - 1 ? other - (count - 1) : other;
}

// Makes n columns of m rows, whose parts are about 1 at most, orthogonal by rotations; what the
// lanes hold beyond them is 0. Rotates n rows of v too if `accumulates`. Returns whether the group
// converged.
// Hestenes' one-sided method in rounds; Golub and Van Loan, "Matrix Computations", 8.6.3.
template <class T, int L, bool accumulates>
struct LanesJacobi {
  using R = real_t<T>;
  T x[L], v[accumulates ? L : 1];

  __device__ bool orthogonalize(int m, int n, int lane) {
    const int count = n + n % 2;
    bool busy = true;
    for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
      busy = false;
      for (int round = 0; round < count - 1; ++round)
        busy = meet(m, n, lane, opponent(lane, round, count)) || busy;
      busy = over_lanes<L>(int(busy), lane, [](int a, int b) { return a | b; }) != 0;
      if (!__any_sync(kAllLanes, busy)) break;
    }
    return !busy;
  }

  // Returns the norm of the lane's column.
  __device__ R norm(int m) const {
    R sum = 0;
    for_rows<L>(m, [&](int i) { sum = plus_square(sum, x[i]); });
    return math::sqrt(sum);
  }

 private:
  // Rotates the lane's column with that of another lane. Returns whether that was necessary.
  __device__ bool meet(int m, int n, int lane, int other) {
    R own = 0;
    T g(0), met[L];
    for_rows<L>(m, [&](int i) {
      met[i] = from_lane<L>(x[i], other);
      own = plus_square(own, x[i]);
      g = plus_conjugate(g, x[i], met[i]);
    });
    const R others = from_lane<L>(own, other);
    // Both lanes decide by the same numbers, those of the first lane of the pair.
    const bool is_first = lane < other;
    g = from_lane<L>(g, is_first ? lane : other);
    const R of_p = is_first ? own : others, of_q = is_first ? others : own;
    const bool rotates = other != lane && other < n && lane < n && !is_orthogonal(g, of_p, of_q, m);
    const Rotation<T> rotation = quick_rotation(of_p, of_q, g);
    const R c1 = rotates ? rotation.c1 : R(0);
    const T s = !rotates   ? T(0)
                : is_first ? math::negative(math::conjugate(rotation.s))
                           : rotation.s;
    for_rows<L>(m, [&](int i) { x[i] = rotated(x[i], c1, s, met[i]); });
    if constexpr (accumulates)
      for_rows<L>(n, [&](int i) { v[i] = rotated(v[i], c1, s, from_lane<L>(v[i], other)); });
    return rotates;
  }
};

// Returns the lane's place if those below n are sorted by their values, ascending.
template <int L, class R>
__device__ int place_of(R value, int n, int lane) {
  int place = 0;
  for (int k = 0; k < n; ++k) {
    const R other = from_lane<L>(value, k);
    place += other < value || (other == value && k < lane);
  }
  return place;
}

}  // namespace gpuarray::linalg
