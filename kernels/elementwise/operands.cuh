// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The operands of element-wise kernels, of operators and of users' texts alike: the registers that
// hold their elements, and the reader and the writer that move these from and to memory. A kernel
// names the types of its operands in order; it writes those that are not const.
#pragma once

#include "kernels/element/inputs.cuh"
#include "kernels/elementwise/walk_params.hpp"

namespace gpuarray {

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

// Bit k: operand k is written.
template <class... T>
GPUARRAY_HD constexpr uint32_t written_operands() {
  uint32_t mask = 0, bit = 1;
  ((mask |= without_const<T>::is_written ? bit : 0, bit <<= 1), ...);
  return mask;
}

// The elements that a thread takes together: a vector's, or one without `vectors`.
template <bool vectors, class... T>
GPUARRAY_HD constexpr int width_of() {
  if constexpr (vectors) return vector_width<T...>;
  return 1;
}

// `Count` elements of each of the operands K, K + 1, ... in registers.
template <int Count, int K, class... T>
struct Elements;

template <int Count, int K>
struct Elements<Count, K> {
  template <class Access>
  __device__ void for_each(const Access&) {}
  template <class Body, class... Before>
  __device__ void visit(int, int64_t index, Body& body, Before&... before) {
    body(index, before...);
  }
};

template <int Count, int K, class T, class... Rest>
struct Elements<Count, K, T, Rest...> {
  Vec<stored_t<without_const_t<T>>, Count> own;
  Elements<Count, K + 1, Rest...> rest;

  // Calls access(k, vector) for each operand.
  template <class Access>
  __device__ void for_each(const Access& access) {
    access(K, own);
    rest.for_each(access);
  }
  // Calls body(index, element...) with element i of each operand.
  template <class Body, class... Before>
  __device__ void visit(int i, int64_t index, Body& body, Before&... before) {
    without_const_t<T> element = own.items[i];
    rest.visit(i, index, body, before..., element);
    if constexpr (without_const<T>::is_written) own.items[i] = element;
  }
};

// Whether operand k is one value for all elements, which `vector` is then filled with. What an
// operator writes has no value before.
template <class T, int Count, int Operands>
__device__ bool fill_single(const OperatorOperands<Operands>& operands, int k,
                            Vec<T, Count>& vector) {
  if (k > 0 && operands.data[k] != nullptr) return false;
  if (k > 0) splat(vector, read_scalar<T>(operands.scalars[k]));
  return true;
}

// Reads the elements of an operand. A walk's Place says where its thread stands: the parameters p,
// the offset of the first element, the step to the next, and whether they are one vector in memory.
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

// Writes those of the operands in `written`, a mask of bits.
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

// The body of an operator's kernel, in the form of the bodies of users' texts.
template <class Function>
struct Apply {
  template <class Out, class... In>
  __device__ void operator()(int64_t, Out& out, const In&... in) const {
    out = Function::apply(in...);
  }
};

}  // namespace gpuarray
