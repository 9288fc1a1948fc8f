// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Users' expressions on the cpu device: CUDA's words for a text that one thread runs, and its loop.
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

// As CUDA's, of two types too.
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

template <class T>
void clear(const ExpressionRow& row, int k, int64_t begin, int64_t end) {
  if constexpr (!std::is_const_v<T>)
    for (int64_t j = begin; j < end; ++j) reinterpret_cast<T*>(row.data[k])[j * row.steps[k]] = T{};
}

// A bool that the body may write.
struct WrittenBool {
  BoolByte& stored;
  bool value = stored;

  operator bool&() { return value; }
  ~WrittenBool() { stored = value; }
};

// What the body is given of element j.
template <class T>
decltype(auto) element_at(char* data, int64_t j) {
  if constexpr (std::is_same_v<T, const bool>)
    return bool(reinterpret_cast<const BoolByte*>(data)[j]);
  else if constexpr (std::is_same_v<T, bool>)
    return WrittenBool{reinterpret_cast<BoolByte*>(data)[j]};
  else
    return (reinterpret_cast<T*>(data)[j]);
}

// No iteration depends on another, as on a GPU.
template <bool unit, class... T, size_t... K, class Body>
void run_row(const ExpressionRow& row, std::index_sequence<K...>, int64_t begin, int64_t end,
             Body& body) {
#pragma GCC ivdep
  for (int64_t j = begin; j < end; ++j)
    body(row.first + j, element_at<T>(row.data[K], unit ? j : j * row.steps[K])...);
}

}  // namespace detail

template <class... T, class Body>
void row_expression(const ExpressionRow& row, Body body) {
  constexpr int64_t kChunk = 1024;  // what is cleared is still in the cache when it is written
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
