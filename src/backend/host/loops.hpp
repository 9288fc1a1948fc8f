// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/host/staged_row.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/op.hpp"
#include "kernels/element/element.cuh"

// The host's loops over the functors of kernels/, one row of memory at a time.
namespace gpuarray::host {

// A loop over `count` elements: operand k begins at data[k] and advances by steps[k] elements.
// Operand 0 is written.
using RowLoop = void (*)(char* const* data, const int64_t* steps, int64_t count);

// The loop of each operation in each dtype; null where the operation has none.
struct LoopTable {
  RowLoop loops[kOpCount][kDTypeCount] = {};
};

// Each adds the loops of its class of dtypes. The classes are separate source files so that they
// are compiled in parallel.
void add_integer_loops(LoopTable& table);
void add_half_loops(LoopTable& table);
void add_float_loops(LoopTable& table);
void add_complex_loops(LoopTable& table);

// Returns the loop that converts operand 1 of dtype `from` into operand 0 of dtype `to`.
RowLoop cast_loop(DType from, DType to);

// Returns `data` as a pointer to elements of type T as they lie in memory.
template <class T>
const stored_t<T>* elements_at(const char* data) {
  return reinterpret_cast<const stored_t<T>*>(data);
}

// Loops whose operands all advance by 0 or 1 are written out, so that the compiler vectorises them.
// The result may be an operand itself but does not overlap one otherwise, so no iteration depends
// on another (ivdep).
template <class Functor, class T>
void unary_row(char* const* data, const int64_t* steps, int64_t count) {
  if constexpr (Staged<Functor>::value) return staged_row<Functor, T>(data, steps, count);
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
  if (steps[0] == 1 && steps[1] == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) out[i * steps[0]] = Functor::apply(a[i * steps[1]]);
}

template <class Functor, class T>
void binary_row(char* const* data, const int64_t* steps, int64_t count) {
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
  const auto* b = elements_at<T>(data[2]);
  if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i], b[i]);
    return;
  }
  if (steps[0] == 1 && steps[1] == 1 && steps[2] == 0) {
    const T right = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(a[i], right);
    return;
  }
  if (steps[0] == 1 && steps[1] == 0 && steps[2] == 1) {
    const T left = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = Functor::apply(left, b[i]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    out[i * steps[0]] = Functor::apply(a[i * steps[1]], b[i * steps[2]]);
}

template <class Functor, class T>
void ternary_row(char* const* data, const int64_t* steps, int64_t count) {
  auto* out = reinterpret_cast<typename Functor::result*>(data[0]);
  const auto* a = elements_at<typename Functor::first>(data[1]);
  const auto* b = elements_at<T>(data[2]);
  const auto* c = elements_at<T>(data[3]);
  for (int64_t i = 0; i < count; ++i)
    out[i * steps[0]] = Functor::apply(a[i * steps[1]], b[i * steps[2]], c[i * steps[3]]);
}

}  // namespace gpuarray::host
