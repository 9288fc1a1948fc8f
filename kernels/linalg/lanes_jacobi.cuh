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
// lanes hold beyond them is 0. Rotates n rows of v too. Returns whether the group converged.
// Hestenes' one-sided method in rounds; Golub and Van Loan, "Matrix Computations", 8.6.3.
template <class T, int L>
struct LanesJacobi {
  using R = real_t<T>;
  T x[L], v[L];

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
    T g(0);
    for_rows<L>(m, [&](int i) {
      own = plus_square(own, x[i]);
      g = plus_conjugate(g, x[i], from_lane<L>(x[i], other));
    });
    const R others = from_lane<L>(own, other);
    // Both lanes decide by the same numbers, those of the first lane of the pair.
    const bool is_first = lane < other;
    g = from_lane<L>(g, is_first ? lane : other);
    const R of_p = is_first ? own : others, of_q = is_first ? others : own;
    const bool rotates = other != lane && other < n && lane < n && !is_orthogonal(g, of_p, of_q, m);
    const Rotation<T> rotation = jacobi_rotation(of_p, of_q, g);
    const R c1 = rotates ? rotation.c1 : R(0);
    const T s = !rotates   ? T(0)
                : is_first ? math::negative(math::conjugate(rotation.s))
                           : rotation.s;
    rotate(x, m, c1, s, other);
    rotate(v, n, c1, s, other);
    return rotates;
  }

  __device__ static void rotate(T (&of)[L], int rows, R c1, T s, int other) {
    for_rows<L>(rows, [&](int i) { of[i] = rotated(of[i], c1, s, from_lane<L>(of[i], other)); });
  }
};

// Finds the eigenvalues and eigenvectors of a Hermitian matrix whose parts are about 1 at most, by
// Jacobi's two-sided method in rounds; Golub and Van Loan, "Matrix Computations", 8.5. The matrix
// becomes diagonal; the lanes hold the eigenvectors.
template <class T, int L>
struct LanesEigh {
  using R = real_t<T>;
  Shared<T, L> a, spare;  // the spare matrix holds the rotations of a round
  int n, lane;
  T v[L];

  __device__ bool diagonalize(R enough) {
    for_rows<L>(L, [&](int i) { v[i] = T(i == lane ? 1 : 0); });
    const int count = n + n % 2;
    bool busy = true;
    for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
      busy = false;
      for (int round = 0; round < count - 1; ++round)
        busy = meet(round, count, opponent(lane, round, count), enough) || busy;
      busy = over_lanes<L>(int(busy), lane, [](int x, int y) { return x | y; }) != 0;
      if (!__any_sync(kAllLanes, busy)) break;
    }
    return !busy;
  }

 private:
  // Rotates the rows and columns of all pairs of a round. Returns whether the lane's pair needed
  // it.
  __device__ bool meet(int round, int count, int other, R enough) {
    const bool is_first = lane < other, is_pair = other != lane && other < n && lane < n;
    const int p = is_first ? lane : other, q = is_first ? other : lane;
    const R of_p = is_pair ? real_part(a(p, p)) : R(0), of_q = is_pair ? real_part(a(q, q)) : R(0);
    const T g = is_pair ? a(p, q) : T(0);
    const bool rotates = largest_part(g) > enough;
    Rotation<T> rotation{R(0), T(0), R(0)};
    if (rotates) rotation = jacobi_rotation(of_p, of_q, g);
    spare(0, lane) = T(rotation.c1);
    spare(1, lane) = rotation.s;
    __syncwarp();
    const T s = is_first ? math::negative(math::conjugate(rotation.s)) : rotation.s;
    rotate_matrix(round, count, rotation.c1, s, other);
    if (rotates) {
      a(lane, lane) = T(is_first ? of_p - rotation.shift : of_q + rotation.shift);
      a(lane, other) = T(0);
    }
    for_rows<L>(n, [&](int i) { v[i] = rotated(v[i], rotation.c1, s, from_lane<L>(v[i], other)); });
    __syncwarp();
    return rotates;
  }

  // Rotates columns in the lane's row, then rows, by exchanging them with the other lane.
  __device__ void rotate_matrix(int round, int count, R c1, T s, int other) {
    T row[L];
    const int own = lane < n ? lane : 0;
    for_pairs(round, count, [&](int k, int p, int q) {
      row[k] = a(own, p);
      row[k + 1] = q < n ? a(own, q) : T(0);
      Rotation<T>{real_part(spare(0, p)), spare(1, p), R(0)}.apply(row[k], row[k + 1]);
    });
    __syncwarp();
    for_pairs(round, count, [&](int k, int p, int q) {
      for (int column = 0; column < 2; ++column) {
        const T mine = row[k + column];
        const T turned = rotated(mine, c1, math::conjugate(s), from_lane<L>(mine, other));
        if (lane < n && (column == 0 || q < n)) a(lane, column == 0 ? p : q) = turned;
      }
    });
  }

  // Calls visit(2 t, p, q) for the pairs p < q of a round, of which q may be n.
  template <class Visit>
  __device__ void for_pairs(int round, int count, const Visit& visit) const {
#pragma unroll
    for (int t = 0; t < L / 2; ++t) {
      if (2 * t >= count) break;
      const int next = round + t < count - 1 ? round + t : round + t - (count - 1);
      const int first = t == 0 ? count - 1 : next;
      const int second = opponent(first, round, count);
      visit(2 * t, first < second ? first : second, first < second ? second : first);
    }
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
