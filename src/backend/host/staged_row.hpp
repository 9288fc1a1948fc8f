// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/element/functors.cuh"

// Loops over functions that are free of branches for all but a few arguments.
namespace gpuarray::host {

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

// Computes direct() of `count` elements, and returns whether it is right for all of them.
template <class Functor, class T>
bool direct_row(T* __restrict out, const T* a, int64_t step, int64_t count) {
  unsigned_t<T> uncovered = 0;  // as wide as T, so that it is part of the vectors
  if (step == 1)
    for (int64_t i = 0; i < count; ++i) {
      out[i] = Staged<Functor>::direct(a[i]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(a[i]));
    }
  else
    for (int64_t i = 0; i < count; ++i) {
      out[i] = Staged<Functor>::direct(a[i * step]);
      uncovered |= unsigned_t<T>(!Staged<Functor>::covers(a[i * step]));
    }
  return uncovered == 0;
}

// A RowLoop of a staged functor. It computes a block by direct(), and then anew by the functor the
// elements that are not covered. The result may be the operand.
template <class Functor, class T>
void staged_row(char* const* data, const int64_t* steps, int64_t count) {
  constexpr int64_t kBlock = 256;
  T results[kBlock];
  auto* out = reinterpret_cast<T*>(data[0]);
  const auto* a = reinterpret_cast<const T*>(data[1]);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = std::min(kBlock, count - begin);
    const T* from = a + begin * steps[1];
    if (!direct_row<Functor>(results, from, steps[1], size))
      for (int64_t i = 0; i < size; ++i)
        if (!Staged<Functor>::covers(from[i * steps[1]]))
          results[i] = Functor::apply(from[i * steps[1]]);
    for (int64_t i = 0; i < size; ++i) out[(begin + i) * steps[0]] = results[i];
  }
}

}  // namespace gpuarray::host
