// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Users' operations as reducers and scanners. An Operation has the `type` that elements are mapped
// to and combined in, combine(a, b), finish(a) to a `result`, and identity() where there is one.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

template <class Operation>
struct fold_reducer {
  using value = typename Operation::type;
  using accumulator = value;
  using result = typename Operation::result;
  using local = value;
  static constexpr bool packed = false;
  __device__ static local start() { return Operation::identity(); }
  __device__ static void step(local& a, value element, uint32_t) {
    a = Operation::combine(a, element);
  }
  __device__ static accumulator widen(local a, int64_t) { return a; }
  __device__ static accumulator identity() { return Operation::identity(); }
  __device__ static accumulator combine(accumulator a, accumulator b) {
    return Operation::combine(a, b);
  }
  __device__ static result finish(accumulator a) { return Operation::finish(a); }
};

template <class T>
struct Maybe {
  T value;
  bool any;
};

// Without an identity: nothing is combined with nothing.
template <class Operation>
struct fold_some_reducer {
  using value = typename Operation::type;
  using accumulator = Maybe<value>;
  using result = typename Operation::result;
  using local = accumulator;
  static constexpr bool packed = false;
  __device__ static local start() { return {}; }
  __device__ static void step(local& a, value element, uint32_t) {
    a = {a.any ? Operation::combine(a.value, element) : element, true};
  }
  __device__ static accumulator widen(local a, int64_t) { return a; }
  __device__ static accumulator identity() { return {}; }
  __device__ static accumulator combine(accumulator a, accumulator b) {
    if (!a.any) return b;
    return b.any ? accumulator{Operation::combine(a.value, b.value), true} : a;
  }
  __device__ static result finish(accumulator a) { return Operation::finish(a.value); }
};

template <class Operation, bool exclusive_>
struct fold_scanner {
  using value = typename Operation::type;
  using accumulator = value;
  using result = typename Operation::result;
  static constexpr bool exclusive = exclusive_;
  __device__ static accumulator lift(value element) { return element; }
  __device__ static accumulator combine(accumulator a, accumulator b) {
    return Operation::combine(a, b);
  }
  __device__ static result finish(accumulator a) { return Operation::finish(a); }
  // Of an exclusive scan.
  __device__ static result first() { return Operation::finish(Operation::identity()); }
};

}  // namespace gpuarray
