// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The operands of element-wise kernels, both of operators and of users' expressions: the registers
// that hold their elements, and the reader and the writer that move elements between registers and
// memory. A kernel names the types of its operands in order; it writes the operands whose type is
// not const.
#pragma once

#include "kernels/element/inputs.cuh"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

// Removes const from T, and tells whether a kernel writes an operand of type T.
template <class T>
struct without_const {
  using type = T;
  static constexpr bool is_written = true;
};
template <class T>
struct without_const<const T> {
  using type = T;
  static constexpr bool is_written = false;
};
template <class T>
using without_const_t = typename without_const<T>::type;

// Returns the mask of the operands that a kernel writes: bit k is set if operand k is written.
template <class... T>
GPUARRAY_HD constexpr uint32_t written_operands() {
  uint32_t mask = 0, bit = 1;
  ((mask |= without_const<T>::is_written ? bit : 0, bit <<= 1), ...);
  return mask;
}

// Returns how many elements a thread takes together: those of a vector, or one if not `vectors`.
template <bool vectors, class... T>
GPUARRAY_HD constexpr int width_of() {
  if constexpr (vectors) return vector_width<T...>;
  return 1;
}

// Holds `Count` elements of each of the operands K, K + 1, ... in registers.
template <int Count, int K, class... T>
struct Elements;

template <int Count, int K>
struct Elements<Count, K> {
  template <class Access>
  __device__ void for_each(const Access&) {}
  __device__ void rotate() {}
  template <class Body, class... Before>
  __device__ void visit(int, int64_t index, Body& body, Before&... before) {
    body(index, before...);
  }
};

template <int Count, int K, class T, class... Rest>
struct Elements<Count, K, T, Rest...> {
  Vec<stored_t<without_const_t<T>>, Count> own;
  Elements<Count, K + 1, Rest...> rest;

  // Calls access(k, vector) for each operand; `access` may change the vector.
  template <class Access>
  __device__ void for_each(const Access& access) {
    access(K, own);
    rest.for_each(access);
  }
  // Calls body(index, element...) with element i of each operand, and keeps what it assigns to the
  // operands that are written.
  template <class Body, class... Before>
  __device__ void visit(int i, int64_t index, Body& body, Before&... before) {
    without_const_t<T> element = own.items[i];
    rest.visit(i, index, body, before..., element);
    if constexpr (without_const<T>::is_written) own.items[i] = element;
  }
  // Moves each element to the place before it, and the first one to the last.
  __device__ void rotate() {
    const auto first = own.items[0];
#pragma unroll
    for (int i = 1; i < Count; ++i) own.items[i - 1] = own.items[i];
    own.items[Count - 1] = first;
    rest.rotate();
  }
};

// Calls body(index, element...) with all elements in turn, of which the first one has this index. A
// rolled loop has one copy of the body, to whose place the elements move.
template <bool is_rolled, int Count, class... T, class Body>
__device__ void visit_all(Elements<Count, 0, T...>& elements, int64_t index, Body& body) {
  if constexpr (is_rolled && Count > 1) {
#pragma unroll 1
    for (int i = 0; i < Count; ++i) {
      elements.visit(0, index + i, body);
      elements.rotate();
    }
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) elements.visit(i, index + i, body);
  }
}

// Returns whether operand k needs no read from memory, and then fills `vector` with its value: a
// scalar is the same for all elements. Operand 0, which an operator writes, is never read and stays
// as it is.
template <class T, int Count, int Operands>
__device__ bool fill_single(const OperatorOperands<Operands>& operands, int k,
                            Vec<T, Count>& vector) {
  if (k > 0 && operands.data[k] != nullptr) return false;
  if (k > 0) splat(vector, read_scalar<T>(operands.scalars[k]));
  return true;
}

// Reads the elements of operand k into a vector. A Place is where a thread stands in its walk: p
// holds the launch's parameters, offset(k) is the offset of the thread's first element in operand
// k, step(k) the step to the next one, and is_vector(k) whether the elements are one aligned vector
// in memory, which is then read by one access.
template <class Place>
struct Reader {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, Vec<T, Count>& vector) const {
    if (fill_single(place.p.operands, k, vector)) return;
    const T* source = static_cast<const T*>(place.p.operands.data[k]) + place.offset(k);
    if (Count == 1 || place.is_vector(k)) {
      vector = *reinterpret_cast<const Vec<T, Count>*>(source);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) vector.items[i] = source[i * place.step(k)];
    }
  }
};

// Writes the elements of operand k if its bit in the mask `written` is set, where Reader would read
// them.
template <uint32_t written, class Place>
struct Writer {
  const Place& place;

  template <class T, int Count>
  __device__ void operator()(int k, const Vec<T, Count>& vector) const {
    if (!(written >> k & 1)) return;
    T* target = static_cast<T*>(place.p.operands.data[k]) + place.offset(k);
    if (Count == 1 || place.is_vector(k)) {
      store(target, vector);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) target[i * place.step(k)] = vector.items[i];
    }
  }
};

// Computes one element of an operator. Walks call it as they call the body of a user's expression.
template <class Function>
struct Apply {
  template <class Out, class... In>
  __device__ void operator()(int64_t, Out& out, const In&... in) const {
    out = Function::apply(in...);
  }
};

}  // namespace gpuarray
