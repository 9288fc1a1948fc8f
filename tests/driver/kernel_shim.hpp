// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Defines CUDA's names for kernels that the host compiler compiles, whose threads are fibers of the
// test driver (fibers.cpp). It is included before every kernel's text. Neither __CUDACC__ nor
// __CUDA_ARCH__ is defined.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel_image.hpp"

#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __restrict__ __restrict
// Shared memory is static, because one block runs at a time. The stand-in for the compiler replaces
// `extern __shared__ float x[];` in a kernel by GPUARRAY_DYNAMIC_SHARED(float, x).
#define __shared__ static
#define GPUARRAY_DYNAMIC_SHARED(type, name) \
  auto* const name = reinterpret_cast<type*>(gpuarray_test_driver->shared)

#define threadIdx (gpuarray_test_driver->thread)
#define blockIdx (gpuarray_test_driver->block)
#define blockDim (gpuarray_test_driver->block_size)
#define gridDim (gpuarray_test_driver->grid_size)
constexpr int warpSize = 32;

// CUDA's vector types: NAME, of elements T, for 1 to 4 of them; those of 3 have no alignment of
// their own, and none has more than 16 bytes.
#define GPUARRAY_VECTORS(NAME, T)                                                \
  struct NAME##1 { T x; };                                                       \
  struct alignas(2 * sizeof(T)) NAME##2 { T x, y; };                             \
  struct NAME##3 { T x, y, z; };                                                 \
  struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) NAME##4 { T x, y, z, w; }; \
  inline NAME##1 make_##NAME##1(T x) { return {x}; }                             \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                     \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }             \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
GPUARRAY_VECTORS(char, signed char)
GPUARRAY_VECTORS(uchar, unsigned char)
GPUARRAY_VECTORS(short, short)
GPUARRAY_VECTORS(ushort, unsigned short)
GPUARRAY_VECTORS(int, int)
GPUARRAY_VECTORS(uint, unsigned int)
GPUARRAY_VECTORS(long, long)
GPUARRAY_VECTORS(ulong, unsigned long)
GPUARRAY_VECTORS(longlong, long long)
GPUARRAY_VECTORS(ulonglong, unsigned long long)
GPUARRAY_VECTORS(float, float)
GPUARRAY_VECTORS(double, double)
#undef GPUARRAY_VECTORS

inline int __mul24(int x, int y) { return x * y; }
inline unsigned int __umul24(unsigned int x, unsigned int y) { return x * y; }

// The driver that loads this image sets the pointer.
extern "C" __attribute__((visibility("default"))) test_driver::ThreadState* gpuarray_test_driver;
test_driver::ThreadState* gpuarray_test_driver;

inline void __syncthreads() { gpuarray_test_driver->barrier(); }
inline void __syncwarp(unsigned int = ~0u) { gpuarray_test_driver->exchange(nullptr, 0, 0); }
inline int __syncthreads_or(int predicate) {
  static int any;
  __syncthreads();
  any = 0;
  __syncthreads();
  if (predicate != 0) any = 1;
  __syncthreads();
  return any;
}
inline void __threadfence() {}
inline void __threadfence_system() {}

namespace test_driver {

inline unsigned int lane() { return gpuarray_test_driver->lane; }

// Returns the value of lane `source`, or of this lane if there is no such lane.
template <class T>
T shuffle(T value, unsigned int source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves 4 or 8 bytes");
  unsigned char bytes[8] = {};
  memcpy(bytes, &value, sizeof value);
  const unsigned char* found = gpuarray_test_driver->exchange(bytes, sizeof value, source);
  memcpy(&value, found, sizeof value);
  return value;
}

}  // namespace test_driver

template <class T>
T __shfl_sync(unsigned int, T value, int source, int width = 32) {
  const unsigned int first = test_driver::lane() & ~unsigned(width - 1);
  return test_driver::shuffle(value, first + (unsigned(source) & unsigned(width - 1)));
}
template <class T>
T __shfl_down_sync(unsigned int, T value, unsigned int distance, int width = 32) {
  const unsigned int lane = test_driver::lane();
  const bool inside = (lane & unsigned(width - 1)) + distance < unsigned(width);
  return test_driver::shuffle(value, inside ? lane + distance : lane);
}
template <class T>
T __shfl_up_sync(unsigned int, T value, unsigned int distance, int width = 32) {
  const unsigned int lane = test_driver::lane();
  const bool inside = (lane & unsigned(width - 1)) >= distance;
  return test_driver::shuffle(value, inside ? lane - distance : lane);
}
template <class T>
T __shfl_xor_sync(unsigned int, T value, int mask, int = 32) {
  return test_driver::shuffle(value, test_driver::lane() ^ unsigned(mask));
}
inline unsigned int __ballot_sync(unsigned int, int predicate) {
  unsigned int votes = 0;
  for (int other = 0; other < 32; ++other)
    votes |= unsigned(test_driver::shuffle(predicate != 0, other)) << other;
  return votes;
}
inline int __popc(unsigned int bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __ffsll(long long bits) { return __builtin_ffsll(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(unsigned(bits)); }
inline int __any_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}

// Atomic functions are plain ones, because no other thread ever runs in between.
template <class T, class U>
T atomicAdd(T* target, U value) {
  const T before = *target;
  *target = before + T(value);
  return before;
}
template <class T, class U>
T atomicMax(T* target, U value) {
  const T before = *target;
  if (*target < T(value)) *target = T(value);
  return before;
}
template <class T, class U>
T atomicMin(T* target, U value) {
  const T before = *target;
  if (T(value) < *target) *target = T(value);
  return before;
}
template <class T, class U>
T atomicOr(T* target, U value) {
  const T before = *target;
  *target |= T(value);
  return before;
}
template <class T, class U>
T atomicCAS(T* target, U expected, U value) {
  const T before = *target;
  if (before == T(expected)) *target = T(value);
  return before;
}

inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
template <class A, class B>
auto max(A a, B b) {
  return a < b ? b : a;
}
template <class A, class B>
auto min(A a, B b) {
  return b < a ? b : a;
}
