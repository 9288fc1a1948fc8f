// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Trigonometric functions and their inverses under NumPy's names: CUDA's in kernels, on the host
// those of math_trig.cuh and math_arc.cuh. half and bfloat16 are computed in float.
#pragma once

#include "kernels/element/half.cuh"
#ifndef __CUDACC__
#include "kernels/element/host/arc.cuh"
#include "kernels/element/host/trig.cuh"
#endif

namespace gpuarray::math {

#ifdef __CUDACC__

#define GPUARRAY_PERIODIC(name)                            \
  GPUARRAY_HD float name(float a) { return ::name##f(a); } \
  GPUARRAY_HD double name(double a) { return ::name(a); }
#define GPUARRAY_ARC(name, function)                           \
  GPUARRAY_HD float name(float a) { return ::function##f(a); } \
  GPUARRAY_HD double name(double a) { return ::function(a); }

GPUARRAY_HD float arctan2(float a, float b) { return ::atan2f(a, b); }
GPUARRAY_HD double arctan2(double a, double b) { return ::atan2(a, b); }
GPUARRAY_HD float hypot(float a, float b) { return ::hypotf(a, b); }
// CUDA's hypot gives infinity for lengths that are almost the largest double.
GPUARRAY_HD double hypot(double a, double b) {
  const double length = ::hypot(a, b);
  const double larger = ::fmax(::fabs(a), ::fabs(b)), smaller = ::fmin(::fabs(a), ::fabs(b));
  if (length > larger && length - length != 0) {
    const double ratio = smaller / larger;
    return larger * ::sqrt(1 + ratio * ratio);
  }
  return length;
}

#else

// libm reduces the large arguments that the branch-free functions do not.
#define GPUARRAY_PERIODIC(name)                                                             \
  inline float name(float a) { return direct::covers(a) ? direct::name(a) : ::name##f(a); } \
  inline double name(double a) { return direct::covers(a) ? direct::name(a) : ::name(a); }
#define GPUARRAY_ARC(name, function)                     \
  inline float name(float a) { return direct::name(a); } \
  inline double name(double a) { return direct::name(a); }

inline float arctan2(float a, float b) { return direct::arctan2(a, b); }
inline double arctan2(double a, double b) { return direct::arctan2(a, b); }
inline float hypot(float a, float b) { return direct::hypot(a, b); }
inline double hypot(double a, double b) { return direct::hypot(a, b); }

namespace direct {

template <Half T>
inline bool covers(T a) {
  return covers(to_float(a));
}
template <Half T>
inline T sin(T a) {
  return round_to<T>(sin(to_float(a)));
}
template <Half T>
inline T cos(T a) {
  return round_to<T>(cos(to_float(a)));
}
template <Half T>
inline T tan(T a) {
  return round_to<T>(tan(to_float(a)));
}

}  // namespace direct

#endif

GPUARRAY_PERIODIC(sin)
GPUARRAY_PERIODIC(cos)
GPUARRAY_PERIODIC(tan)
GPUARRAY_ARC(arcsin, asin)
GPUARRAY_ARC(arccos, acos)
GPUARRAY_ARC(arctan, atan)

#undef GPUARRAY_PERIODIC
#undef GPUARRAY_ARC

GPUARRAY_HALF_UNARY(sin)
GPUARRAY_HALF_UNARY(cos)
GPUARRAY_HALF_UNARY(tan)
GPUARRAY_HALF_UNARY(arcsin)
GPUARRAY_HALF_UNARY(arccos)
GPUARRAY_HALF_UNARY(arctan)
GPUARRAY_HALF_BINARY(arctan2)
GPUARRAY_HALF_BINARY(hypot)

}  // namespace gpuarray::math
