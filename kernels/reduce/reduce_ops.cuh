// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the elements of a reduction combine. A reducer has these members:
// - value, accumulator, result and local are the types of an element, of a total of several
//   threads, of the result, and of the total of one thread.
// - start() makes a local. step(local, element, position) adds an element to it; positions ascend
//   and count from the begin of the chunk.
// - packed says whether step_word(local, word) adds four one-byte elements at once.
// - widen(local, first) makes an accumulator, where `first` is the index of position 0.
// - combine(a, b) is associative but for rounding, and combine(identity(), x) is x.
// - total_reducer, where there is one, is a reducer that makes the same totals.
// - finish(accumulator) makes the result; an averaging reducer takes an Average too.
#pragma once

#include "kernels/reduce/reduce_arg.cuh"
#include "kernels/reduce/reduce_extremes.cuh"
#include "kernels/reduce/reduce_moments.cuh"
#include "kernels/reduce/reduce_nan.cuh"
#include "kernels/reduce/reduce_sums.cuh"

namespace gpuarray {

// Finds whether any element is true. The local is nonzero once a thread has met a true element.
template <class T>
struct any_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  using local = uint32_t;
  static constexpr bool one_decides = true;
  static constexpr bool packed = sizeof(T) == 1;
  GPUARRAY_HD static local start() { return 0; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) { a |= cast<bool>(element); }
  GPUARRAY_HD static void step_word(local& a, uint32_t word) { a |= word; }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a != 0; }
  GPUARRAY_HD static accumulator identity() { return false; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a | b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

// Finds whether all elements are true. The local is nonzero once a thread has met a false element.
template <class T>
struct all_reducer {
  using value = T;
  using accumulator = bool;
  using result = bool;
  using local = uint32_t;
  static constexpr bool one_decides = true;
  static constexpr bool packed = sizeof(T) == 1;
  GPUARRAY_HD static local start() { return 0; }
  GPUARRAY_HD static void step(local& a, value element, uint32_t) { a |= !cast<bool>(element); }
  GPUARRAY_HD static void step_word(local& a, uint32_t word) { a |= zero_bytes(word); }
  GPUARRAY_HD static accumulator widen(local a, int64_t) { return a == 0; }
  GPUARRAY_HD static accumulator identity() { return true; }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) { return a & b; }
  GPUARRAY_HD static result finish(accumulator a) { return a; }
};

}  // namespace gpuarray
