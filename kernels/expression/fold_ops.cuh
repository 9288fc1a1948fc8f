// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Adapts users' operations to the reducers of reduce_ops.cuh and the scanners of scan_ops.cuh. An
// Operation has a `type`, to which elements are mapped and in which they are combined by combine(a,
// b); finish(a), which makes a `result` of the total; and identity(), if it has an identity.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Reduces by an operation that has an identity.
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

// Holds a value, or nothing if not `any`.
template <class T>
struct Maybe {
  T value;
  bool any;
};

// Reduces by an operation that has no identity: the accumulator starts as nothing, and becomes the
// first element that it meets.
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

// Scans by an operation. An exclusive scan gives each position the total of the elements before it,
// and needs an identity.
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
  // Returns the first result of an exclusive scan.
  __device__ static result first() { return Operation::finish(Operation::identity()); }
};

}  // namespace gpuarray
