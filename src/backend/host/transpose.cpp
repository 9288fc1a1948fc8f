// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/transpose.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "core/layout.hpp"

namespace gpuarray::host {
namespace {

constexpr int64_t kLine = 64;        // bytes of a line of the cache, of which whole ones are read
constexpr int64_t kColumns = 512;    // as many are read in turn, whose pages stay known
constexpr int64_t kLeastExtent = 8;  // of a matrix that is worth it
constexpr size_t kVector = 16;       // bytes

// One matrix: the target's rows are contiguous, the source's columns are.
struct Turned {
  int64_t rows;
  int64_t columns;
  int64_t target_pitch;  // elements between rows of the target
  int64_t source_pitch;  // elements between columns of the source
};

template <size_t kSize>
struct Bytes {
  char bytes[kSize];
};

template <size_t kSize>
struct VectorOf;
// clang-format off
template <> struct VectorOf<1> { using type [[gnu::vector_size(kVector)]] = uint8_t; };
template <> struct VectorOf<2> { using type [[gnu::vector_size(kVector)]] = uint16_t; };
template <> struct VectorOf<4> { using type [[gnu::vector_size(kVector)]] = uint32_t; };
template <> struct VectorOf<8> { using type [[gnu::vector_size(kVector)]] = uint64_t; };
// clang-format on

// Returns the elements of the lower half of each in turn, or those of the upper half.
template <bool kUpper, class Vector, int... index>
Vector interleave(Vector a, Vector b, std::integer_sequence<int, index...>) {
  constexpr int kCount = sizeof...(index), kFirst = kUpper ? kCount / 2 : 0;
  return __builtin_shufflevector(a, b, (kFirst + index / 2 + index % 2 * kCount)...);
}

// Turns a square of as many rows as a vector has elements. Each stage interleaves the vectors of
// the first half with those of the second.
template <size_t kSize>
void turn_square(Bytes<kSize>* target, int64_t target_pitch, const Bytes<kSize>* source,
                 int64_t source_pitch) {
  using Vector = typename VectorOf<kSize>::type;
  constexpr int kCount = kVector / kSize;
  constexpr auto kIndices = std::make_integer_sequence<int, kCount>();
  Vector rows[kCount], next[kCount];
  for (int i = 0; i < kCount; ++i) std::memcpy(&rows[i], source + i * source_pitch, kVector);
  for (int stage = 1; stage < kCount; stage *= 2) {
    for (int i = 0; i < kCount / 2; ++i) {
      next[2 * i] = interleave<false>(rows[i], rows[i + kCount / 2], kIndices);
      next[2 * i + 1] = interleave<true>(rows[i], rows[i + kCount / 2], kIndices);
    }
    std::copy_n(next, kCount, rows);
  }
  for (int i = 0; i < kCount; ++i) std::memcpy(target + i * target_pitch, &rows[i], kVector);
}

template <size_t kSize>
void turn_slowly(const Turned& turned, Bytes<kSize>* target, const Bytes<kSize>* source) {
  for (int64_t row = 0; row < turned.rows; ++row)
    for (int64_t column = 0; column < turned.columns; ++column)
      target[row * turned.target_pitch + column] = source[column * turned.source_pitch + row];
}

template <size_t kSize>
void turn(const Turned& turned, Bytes<kSize>* target, const Bytes<kSize>* source) {
  constexpr int64_t kSide = kVector / kSize;
  const int64_t target_pitch = turned.target_pitch, source_pitch = turned.source_pitch;
  int64_t rows = 0, columns = 0;
  if constexpr (kSide > 1) {
    rows = turned.rows / kSide * kSide, columns = turned.columns / kSide * kSide;
    for (int64_t left = 0; left < columns; left += kSide)
      for (int64_t top = 0; top < rows; top += kSide)
        turn_square(target + top * target_pitch + left, target_pitch,
                    source + left * source_pitch + top, source_pitch);
  }
  turn_slowly({rows, turned.columns - columns, target_pitch, source_pitch}, target + columns,
              source + columns * source_pitch);
  turn_slowly({turned.rows - rows, turned.columns, target_pitch, source_pitch},
              target + rows * target_pitch, source + rows);
}

// Turns the rows [begin, end) in strips, of which each reads whole lines of the cache.
template <size_t kSize>
void turn_strips(const Turned& turned, int64_t begin, int64_t end, Bytes<kSize>* target,
                 const Bytes<kSize>* source) {
  constexpr int64_t kStrip = kLine / kSize;
  for (int64_t left = 0; left < turned.columns; left += kColumns)
    for (int64_t top = begin; top < end; top += kStrip)
      turn({std::min(kStrip, end - top), std::min(kColumns, turned.columns - left),
            turned.target_pitch, turned.source_pitch},
           target + top * turned.target_pitch + left, source + left * turned.source_pitch + top);
}

template <size_t kSize>
void turn_all(const ElementwisePlan& plan, const Turned& turned, int rows_axis) {
  Shape shape = plan.shape;
  Strides target = plan.strides[0], source = plan.strides[1];
  for (Dims* dims : {&shape, &target, &source}) {
    dims->erase(plan.shape.size() - 1);
    dims->erase(rows_axis);
  }
  // The rows of all matrices follow each other; a piece may begin within one.
  const int64_t rows = element_count(shape) * turned.rows;
  const int64_t row_bytes = turned.columns * int64_t{2 * kSize};
  parallel_for(rows, elements_of_piece(rows, row_bytes, kLine), [&](int64_t begin, int64_t end) {
    OffsetWalk walk(shape, &target, &source);
    walk.seek(begin / turned.rows);
    for (int64_t done = begin, first = begin % turned.rows; done < end; first = 0, walk.next()) {
      const int64_t last = std::min(turned.rows, first + end - done);
      turn_strips(turned, first, last, static_cast<Bytes<kSize>*>(plan.data[0]) + walk.offset(0),
                  static_cast<const Bytes<kSize>*>(plan.data[1]) + walk.offset(1));
      done += last - first;
    }
  });
}

}  // namespace

int turned_axis(const Shape& shape, const Strides& strides) {
  const int last = shape.size() - 1;
  if (last < 1 || strides[last] == 0 || strides[last] == 1 || shape[last] < kLeastExtent) return -1;
  int axis = last - 1;
  while (axis >= 0 && strides[axis] != 1) --axis;
  return axis >= 0 && shape[axis] >= kLeastExtent ? axis : -1;
}

bool copy_turned(const ElementwisePlan& plan) {
  const int last = plan.shape.size() - 1;
  if (last < 1 || plan.dtypes[0] != plan.dtypes[1] || plan.data[1] == nullptr) return false;
  const Strides &target = plan.strides[0], &source = plan.strides[1];
  const int axis = turned_axis(plan.shape, source);
  if (target[last] != 1 || axis < 0) return false;
  const Turned turned{plan.shape[axis], plan.shape[last], target[axis], source[last]};
  switch (itemsize(plan.dtypes[0])) {
    case 1:
      turn_all<1>(plan, turned, axis);
      return true;
    case 2:
      turn_all<2>(plan, turned, axis);
      return true;
    case 4:
      turn_all<4>(plan, turned, axis);
      return true;
    case 8:
      turn_all<8>(plan, turned, axis);
      return true;
    case 16:
      turn_all<16>(plan, turned, axis);
      return true;
  }
  return false;
}

}  // namespace gpuarray::host
