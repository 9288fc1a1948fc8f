// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Vectors of neighbouring elements, which one instruction reads or writes, and how an operation is
// evaluated on operands of other dtypes than its own.
#pragma once

#include "kernels/element/cast.cuh"

namespace gpuarray {

template <class T, int Count>
struct alignas(sizeof(T) * Count) Vec {
  T items[Count];
};

template <class T, class... Rest>
inline constexpr int largest_size =
    int(sizeof(T)) > largest_size<Rest...> ? int(sizeof(T)) : largest_size<Rest...>;
template <class T>
inline constexpr int largest_size<T> = sizeof(T);

// Writes a vector by one instruction. The compiler would split the store of a structure whose
// elements are made in branches of their own, as quotients are (H200, 2026-11: 2^28 of float32 in
// 1.34 ms, for 0.74).
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

// The elements of one access: 16 bytes of the widest dtype.
template <class... T>
inline constexpr int vector_width = 16 / largest_size<T...>;

// The functor of a conversion, which Converting wraps.
template <class T>
struct cast_functor {
  using result = T;
  using first = T;
  GPUARRAY_HD static T apply(T a) { return a; }
};

// A functor of loop type T on operands of any dtypes.
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
