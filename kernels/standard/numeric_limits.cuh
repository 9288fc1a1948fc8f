// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Without CCCL, the numeric_limits of numbers that kernels use most.
#pragma once

#if __has_include(<cuda/std/limits>)
#include <cuda/std/limits>

namespace std {
using namespace cuda::std;
}
#else
namespace std {

template <class T>
struct numeric_limits {
  static constexpr bool is_specialized = false;
};

template <class T>
struct gpuarray_integer_limits {
  static constexpr bool is_specialized = true, is_integer = true, is_signed = T(-1) < T(0);
  static constexpr int digits = 8 * sizeof(T) - is_signed;
  static __host__ __device__ constexpr T max() { return T(~0ull >> (64 - digits)); }
  static __host__ __device__ constexpr T min() { return is_signed ? T(-max() - 1) : T(0); }
  static __host__ __device__ constexpr T lowest() { return min(); }
};
#define GPUARRAY_INTEGER(type) \
  template <>                  \
  struct numeric_limits<type> : gpuarray_integer_limits<type> {};
GPUARRAY_INTEGER(char)
GPUARRAY_INTEGER(signed char)
GPUARRAY_INTEGER(unsigned char)
GPUARRAY_INTEGER(short)
GPUARRAY_INTEGER(unsigned short)
GPUARRAY_INTEGER(int)
GPUARRAY_INTEGER(unsigned)
GPUARRAY_INTEGER(long)
GPUARRAY_INTEGER(unsigned long)
GPUARRAY_INTEGER(long long)
GPUARRAY_INTEGER(unsigned long long)
#undef GPUARRAY_INTEGER

#define GPUARRAY_FLOAT(type, bits, max_value, min_value, denorm, eps, inf, nan)                    \
  template <>                                                                                      \
  struct numeric_limits<type> {                                                                    \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;             \
    static constexpr bool has_infinity = true, has_quiet_NaN = true;                               \
    static constexpr int digits = bits;                                                            \
    static __host__ __device__ constexpr type max() { return max_value; }                          \
    static __host__ __device__ constexpr type min() { return min_value; }                          \
    static __host__ __device__ constexpr type lowest() { return -max_value; }                      \
    static __host__ __device__ constexpr type denorm_min() { return denorm; }                      \
    static __host__ __device__ constexpr type epsilon() { return eps; }                            \
    static __host__ __device__ constexpr type infinity() { return __builtin_bit_cast(type, inf); } \
    static __host__ __device__ constexpr type quiet_NaN() {                                        \
      return __builtin_bit_cast(type, nan);                                                        \
    }                                                                                              \
  };
GPUARRAY_FLOAT(float, 24, 0x1.fffffep+127f, 0x1p-126f, 0x1p-149f, 0x1p-23f, 0x7f800000, 0x7fffffff)
GPUARRAY_FLOAT(double, 53, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1074, 0x1p-52,
               0x7ff0000000000000ll, 0x7fffffffffffffffll)
#undef GPUARRAY_FLOAT

}  // namespace std
#endif
