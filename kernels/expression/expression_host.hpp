// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the compiled source of a user's expression includes on the cpu device: CUDA's keywords and
// functions as a single thread needs them, and the loop over elements.
#pragma once

#include <cmath>
#include <utility>

#include "kernels/element/cast.cuh"
#include "kernels/expression/expression_params.hpp"

#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict

// CUDA's max and min, which also take two arguments of different types.
template <class A, class B>
inline auto max(A a, B b) {
  return a < b ? b : a;
}
template <class A, class B>
inline auto min(A a, B b) {
  return b < a ? b : a;
}

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }

// CUDA's atomic functions. One thread runs the expression, so that they need not be atomic.
template <class T, class U>
T atomicAdd(T* target, U value) {
  return std::exchange(*target, T(*target + value));
}
template <class T, class U>
T atomicSub(T* target, U value) {
  return std::exchange(*target, T(*target - value));
}
template <class T, class U>
T atomicMin(T* target, U value) {
  return std::exchange(*target, T(value) < *target ? T(value) : *target);
}
template <class T, class U>
T atomicMax(T* target, U value) {
  return std::exchange(*target, *target < T(value) ? T(value) : *target);
}
template <class T, class U>
T atomicExch(T* target, U value) {
  return std::exchange(*target, T(value));
}
template <class T>
T atomicCAS(T* target, T compare, T value) {
  return std::exchange(*target, *target == compare ? value : *target);
}

namespace gpuarray {

namespace detail {

// Sets elements [begin, end) of operand k to zero if the expression may write the operand.
template <class T>
void clear(const ExpressionRow& row, int k, int64_t begin, int64_t end) {
  if constexpr (!std::is_const_v<T>)
    for (int64_t j = begin; j < end; ++j) reinterpret_cast<T*>(row.data[k])[j * row.steps[k]] = T{};
}

// Holds a bool that the body may write, which is stored as a byte when this object is destroyed.
struct WrittenBool {
  BoolByte& stored;
  bool value = stored;

  operator bool&() { return value; }
  ~WrittenBool() { stored = value; }
};

// Element j as the body receives it: a bool by value, a WrittenBool, or a reference into memory.
template <class T>
decltype(auto) element_at(char* data, int64_t j) {
  if constexpr (std::is_same_v<T, const bool>)
    return bool(reinterpret_cast<const BoolByte*>(data)[j]);
  else if constexpr (std::is_same_v<T, bool>)
    return WrittenBool{reinterpret_cast<BoolByte*>(data)[j]};
  else
    return (reinterpret_cast<T*>(data)[j]);
}

// Where the elements of an operand lie along a row.
struct RowOperand {
  char* data;
  int64_t step;
};

// Calls body(index, element...) for elements [begin, end) of a row; if `unit`, all steps are 1. The
// loop may be vectorised, because no iteration depends on another, as on a GPU. The operands are
// copies, which nothing that the body writes can change.
template <bool unit, class... T, class Body, class... Operand>
void run_elements(int64_t first, int64_t begin, int64_t end, Body body, Operand... operands) {
#pragma GCC ivdep
  for (int64_t j = begin; j < end; ++j)
    body(first + j, element_at<T>(operands.data, unit ? j : j * operands.step)...);
}

template <bool unit, class... T, size_t... K, class Body>
void run_row(const ExpressionRow& row, std::index_sequence<K...>, int64_t begin, int64_t end,
             Body& body) {
  run_elements<unit, T...>(row.first, begin, end, body, RowOperand{row.data[K], row.steps[K]}...);
}

}  // namespace detail

// Calls body(index, element...) for each element of one row of the operands T..., after it has set
// the elements of fresh operands to zero.
template <class... T, class Body>
void row_expression(const ExpressionRow& row, Body body) {
  constexpr int64_t kChunk = 1024;  // cleared elements are still in the cache when they are written
  constexpr std::index_sequence_for<T...> operands;
  bool unit = true;
  for (size_t k = 0; k < sizeof...(T); ++k) unit = unit && row.steps[k] == 1;
  for (int64_t begin = 0; begin < row.count; begin += kChunk) {
    const int64_t end = std::min(begin + kChunk, row.count);
    int k = 0;
    ((row.fresh >> k & 1 ? detail::clear<T>(row, k, begin, end) : void(), ++k), ...);
    if (unit)
      detail::run_row<true, T...>(row, operands, begin, end, body);
    else
      detail::run_row<false, T...>(row, operands, begin, end, body);
  }
}

}  // namespace gpuarray
