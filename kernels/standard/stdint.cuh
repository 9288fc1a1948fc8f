// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

// CCCL defines the same macros, so that where it is installed they come from it alone.
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#else
#include "kernels/standard/limits.cuh"

#define GPUARRAY_INTEGER(bits, type)          \
  typedef signed type int##bits##_t;          \
  typedef signed type int_least##bits##_t;    \
  typedef signed type int_fast##bits##_t;     \
  typedef unsigned type uint##bits##_t;       \
  typedef unsigned type uint_least##bits##_t; \
  typedef unsigned type uint_fast##bits##_t;
GPUARRAY_INTEGER(8, char)
GPUARRAY_INTEGER(16, short)
GPUARRAY_INTEGER(32, int)
GPUARRAY_INTEGER(64, long long)
#undef GPUARRAY_INTEGER
typedef int64_t intmax_t;
typedef int64_t intptr_t;
typedef uint64_t uintmax_t;
typedef uint64_t uintptr_t;

#define INT8_MAX SCHAR_MAX
#define INT8_MIN SCHAR_MIN
#define UINT8_MAX UCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT16_MIN SHRT_MIN
#define UINT16_MAX USHRT_MAX
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define UINT32_MAX UINT_MAX
#define INT64_MAX LLONG_MAX
#define INT64_MIN LLONG_MIN
#define UINT64_MAX ULLONG_MAX
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#define PTRDIFF_MAX INT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define INT64_C(value) value##ll
#define UINT64_C(value) value##ull
#endif
#ifndef SIZE_MAX
#define SIZE_MAX UINT64_MAX
#endif

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;
}  // namespace std
