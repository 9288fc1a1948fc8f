// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

// Loops over functions that are free of branches for all but a few arguments.
namespace gpuarray::loops {

// Where value is true, direct() is the functor without branches, and right for the arguments that
// covers() tells, which has no branches either.
template <class Functor>
struct Staged {
  static constexpr bool value = false;
};

#define GPUARRAY_STAGED(name)                                   \
  template <Float T>                                            \
  struct Staged<name##_functor<T>> {                            \
    static constexpr bool value = true;                         \
    static T direct(T a) { return math::direct::name(a); }      \
    static bool covers(T a) { return math::direct::covers(a); } \
  };
GPUARRAY_STAGED(sin)
GPUARRAY_STAGED(cos)
GPUARRAY_STAGED(tan)
#undef GPUARRAY_STAGED

#define GPUARRAY_STAGED_DIVISION(name)                                  \
  template <NativeFloat T>                                              \
  struct Staged<name##_functor<T>> {                                    \
    static constexpr bool value = true;                                 \
    static T direct(T a, T b) { return math::direct::name(a, b); }      \
    static bool covers(T a, T b) { return math::direct::covers(a, b); } \
  };
GPUARRAY_STAGED_DIVISION(fmod)
GPUARRAY_STAGED_DIVISION(remainder)
GPUARRAY_STAGED_DIVISION(floor_divide)
#undef GPUARRAY_STAGED_DIVISION

// A RowLoop of a staged functor. It computes a block by direct(), and then anew by the functor the
// elements that are not covered. The result may be the operand.
template <class Functor, class T>
void staged_row(char* const* data, const int64_t*, int64_t count) {
  constexpr int64_t kBlock = 256;
  T results[kBlock];
  auto* out = reinterpret_cast<T*>(data[0]);
  const auto* a = elements_at<T>(data[1]);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const T* from = a + begin;
    unsigned_t<T> uncovered = 0;  // as wide as T, so that it is part of the vectors
    for (int64_t i = 0; i < size; ++i) {
      results[i] = Staged<Functor>::direct(from[i]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(from[i]));
    }
    if (uncovered != 0)
      for (int64_t i = 0; i < size; ++i)
        if (!Staged<Functor>::covers(from[i])) results[i] = Functor::apply(from[i]);
    for (int64_t i = 0; i < size; ++i) out[begin + i] = results[i];
  }
}

// As staged_row, for functors of two numbers.
template <class Functor, class T>
void staged_binary_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kBlock = 256;
  T results[kBlock], repeated[kBlock];
  auto* out = reinterpret_cast<T*>(data[0]);
  const T *a = elements_at<T>(data[1]), *b = elements_at<T>(data[2]);
  if (steps[1] == 0 || steps[2] == 0)
    for (T& each : repeated) each = steps[2] == 0 ? *b : *a;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const T* left = steps[1] == 0 && steps[2] != 0 ? repeated : a + begin;
    const T* right = steps[2] == 0 ? repeated : b + begin;
    unsigned_t<T> uncovered = 0;
    for (int64_t i = 0; i < size; ++i) {
      results[i] = Staged<Functor>::direct(left[i], right[i]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(left[i], right[i]));
    }
    if (uncovered != 0)
      for (int64_t i = 0; i < size; ++i)
        if (!Staged<Functor>::covers(left[i], right[i]))
          results[i] = Functor::apply(left[i], right[i]);
    for (int64_t i = 0; i < size; ++i) out[begin + i] = results[i];
  }
}

}  // namespace gpuarray::loops
