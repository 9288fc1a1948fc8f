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
// converged. Hestenes' one-sided method in rounds; Golub and Van Loan, "Matrix
// Computations", 8.6.3.
template <class T, int L, bool accumulates>
struct LanesJacobi {
  using R = real_t<T>;
  T x[L], v[accumulates ? L : 1];

  __device__ bool orthogonalize(int m, int n, int lane) {
    const int count = n + n % 2;
    bool rotated = true;
    for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
      rotated = false;
      for (int round = 0; round < count - 1; ++round)
        rotated = meet(m, n, lane, opponent(lane, round, count)) || rotated;
      rotated = over_lanes<L>(int(rotated), lane, [](int a, int b) { return a | b; }) != 0;
      if (!__any_sync(kAllLanes, rotated)) break;
    }
    return !rotated;
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
    T g(0);
    for_rows<L>(m, [&](int i) {
      own = plus_square(own, x[i]);
      g = plus_conjugate(g, x[i], from_lane<L>(x[i], other));
    });
    const R others = from_lane<L>(own, other);
    const bool rotates =
        other != lane && other < n && lane < n &&
        largest_part(g) > epsilon<R> * math::sqrt(R(m)) * math::sqrt(own) * math::sqrt(others);
    const bool is_first = lane < other;
    // Both lanes compute the rotation of the pair from the same numbers.
    const Rotation<T> rotation = jacobi_rotation(is_first ? own : others, is_first ? others : own,
                                                 is_first ? g : math::conjugate(g));
    const R c = rotates ? rotation.c : R(1);
    const T s = !rotates   ? T(0)
                : is_first ? math::negative(math::conjugate(rotation.s))
                           : rotation.s;
    rotate(x, m, c, s, other);
    if constexpr (accumulates) rotate(v, n, c, s, other);
    return rotates;
  }

  __device__ static void rotate(T (&of)[L], int rows, R c, T s, int other) {
    for_rows<L>(rows, [&](int i) {
      of[i] = plus_product(scaled(of[i], c), s, from_lane<L>(of[i], other));
    });
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
