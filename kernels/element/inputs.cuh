// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Vectors of neighbouring elements, which one instruction reads or writes, and the evaluation of an
// operation on operands whose dtypes differ from its own.
#pragma once

#include "kernels/element/cast.cuh"

namespace gpuarray {

// `Count` neighbouring elements; in memory they must be aligned to the size of the vector.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Vec {
  T items[Count];
};

// The size in bytes of the largest of several types.
template <class T, class... Rest>
inline constexpr int largest_size =
    int(sizeof(T)) > largest_size<Rest...> ? int(sizeof(T)) : largest_size<Rest...>;
template <class T>
inline constexpr int largest_size<T> = sizeof(T);

// Writes a vector to global memory by one instruction. The compiler would split the store of a
// struct whose elements are computed in separate branches, as quotients are (H200, 2026-11: 2^28
// float32 would take 1.34 ms instead of 0.74).
template <class T, int Count>
__device__ void store(T* target, const Vec<T, Count>& vector) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(vector) == 16) {
    const uint4 bits = __builtin_bit_cast(uint4, vector);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(target), "r"(bits.x), "r"(bits.y),
                 "r"(bits.z), "r"(bits.w)
                 : "memory");
    return;
  } else if constexpr (sizeof(vector) == 8) {
    const uint2 bits = __builtin_bit_cast(uint2, vector);
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(target), "r"(bits.x), "r"(bits.y)
                 : "memory");
    return;
  }
#endif
  *reinterpret_cast<Vec<T, Count>*>(target) = vector;
}

// The number of elements in one access: 16 bytes of the widest dtype.
template <class... T>
inline constexpr int vector_width = 16 / largest_size<T...>;

// Converts to T as a functor of one argument. It does nothing itself, because Converting converts
// the argument.
template <class T>
struct cast_functor {
  using result = T;
  using first = T;
  GPUARRAY_HD static T apply(T a) { return a; }
};

// Applies a functor of loop type T to operands of any dtypes: converts them to the functor's types,
// and its result to Out.
template <class Functor, class T, class Out>
struct Converting {
  template <class A>
  __device__ static Out apply(A a) {
    return cast<Out>(Functor::apply(cast<typename Functor::first>(a)));
  }
  template <class A, class B>
  __device__ static Out apply(A a, B b) {
    return cast<Out>(Functor::apply(cast<typename Functor::first>(a), cast<T>(b)));
  }
  template <class A, class B, class C>
  __device__ static Out apply(A a, B b, C c) {
    return cast<Out>(Functor::apply(cast<typename Functor::first>(a), cast<T>(b), cast<T>(c)));
  }
};

// Reads a T from the bytes of a scalar parameter.
template <class T>
__device__ T read_scalar(const unsigned char (&bytes)[16]) {
  return *reinterpret_cast<const T*>(bytes);
}

// Sets all elements of a vector to one value.
template <class T, int Count>
__device__ void splat(Vec<T, Count>& vector, T value) {
#pragma unroll
  for (int i = 0; i < Count; ++i) vector.items[i] = value;
}

}  // namespace gpuarray
