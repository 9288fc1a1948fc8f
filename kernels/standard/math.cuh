// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The compiler declares the functions of floating-point numbers; this gives them to std, and takes
// integers as the C++ library does.
#pragma once

// No macros, because those of CCCL may follow.
#ifndef INFINITY
constexpr float INFINITY = __builtin_bit_cast(float, 0x7f800000);
#endif
#ifndef NAN
constexpr float NAN = __builtin_bit_cast(float, 0x7fffffff);
#endif
#ifndef HUGE_VAL
#define HUGE_VAL double(INFINITY)
#define HUGE_VALF INFINITY
#endif
#ifndef M_PI
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

// `% 1` is for integers only.
#define GPUARRAY_UNARY(name)                    \
  template <class T, class = decltype(T() % 1)> \
  __host__ __device__ inline double name(T x) { \
    return name(static_cast<double>(x));        \
  }
#define GPUARRAY_BINARY(name)                                                       \
  template <class T, class U, class = decltype(T() % 1), class = decltype(U() % 1)> \
  __host__ __device__ inline double name(T x, U y) {                                \
    return name(static_cast<double>(x), static_cast<double>(y));                    \
  }
GPUARRAY_UNARY(acos)
GPUARRAY_UNARY(acosh)
GPUARRAY_UNARY(asin)
GPUARRAY_UNARY(asinh)
GPUARRAY_UNARY(atan)
GPUARRAY_UNARY(atanh)
GPUARRAY_UNARY(cbrt)
GPUARRAY_UNARY(ceil)
GPUARRAY_UNARY(cos)
GPUARRAY_UNARY(cosh)
GPUARRAY_UNARY(erf)
GPUARRAY_UNARY(erfc)
GPUARRAY_UNARY(exp)
GPUARRAY_UNARY(exp2)
GPUARRAY_UNARY(expm1)
GPUARRAY_UNARY(fabs)
GPUARRAY_UNARY(floor)
GPUARRAY_UNARY(lgamma)
GPUARRAY_UNARY(log)
GPUARRAY_UNARY(log10)
GPUARRAY_UNARY(log1p)
GPUARRAY_UNARY(log2)
GPUARRAY_UNARY(rint)
GPUARRAY_UNARY(round)
GPUARRAY_UNARY(sin)
GPUARRAY_UNARY(sinh)
GPUARRAY_UNARY(sqrt)
GPUARRAY_UNARY(tan)
GPUARRAY_UNARY(tanh)
GPUARRAY_UNARY(tgamma)
GPUARRAY_UNARY(trunc)
GPUARRAY_BINARY(atan2)
GPUARRAY_BINARY(fmod)
GPUARRAY_BINARY(hypot)
GPUARRAY_BINARY(pow)
#undef GPUARRAY_BINARY
#undef GPUARRAY_UNARY

namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
}  // namespace std
