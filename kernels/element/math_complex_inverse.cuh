// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Inverse trigonometric and hyperbolic functions of complex numbers, with the special values of C99
// Annex G. "Hull" below is Hull, Fairgrieve, Tang, "Implementing the complex arcsine and arccosine
// functions using exception handling", ACM TOMS 23(3), 1997.
#pragma once

#include "kernels/element/math_complex_log.cuh"

namespace gpuarray::math {
namespace detail {

inline constexpr double kHalfPi = 1.57079632679489661923132169163975144;
inline constexpr double kPi = 3.14159265358979323846264338327950288;
inline constexpr double kLog2 = 0.693147180559945309417232121458176568;

// Holds the real part of an arcsine or arccosine, and the magnitude of the imaginary part, which is
// the same for both.
template <NativeFloat T>
struct Arc {
  T real;
  T imaginary;
};

// Evaluates Hull's formulas where no square overflows or underflows; x and y are not negative.
template <bool cosine, NativeFloat T>
GPUARRAY_HD Arc<T> arc_regular(T x, T y) {
  const T above = x + 1, below = absolute(x - 1), y2 = y * y;
  const T r = sqrt(above * above + y2), s = sqrt(below * below + y2);
  const T a = T(0.5) * (r + s), b = x / a;
  const T near = y2 / (r + above), far = x <= 1 ? s + below : y2 / (s + below);
  Arc<T> arc;
  if (b <= T(0.6417)) {
    arc.real = cosine ? arccos(b) : arcsin(b);
  } else {
    // height is sqrt(a**2 - x**2).
    const T height = x <= 1 ? sqrt(T(0.5) * (a + x) * (near + far))
                            : y * sqrt(T(0.5) * ((a + x) / (r + above) + (a + x) / (s + below)));
    arc.real = cosine ? arctan2(height, x) : arctan2(x, height);
  }
  if (a <= T(1.5)) {
    const T rest = x < 1 ? y2 / (s + below) : s + below;
    const T excess = T(0.5) * (near + rest);  // equals a - 1
    arc.imaginary = log1p(excess + sqrt(excess * (a + 1)));
  } else {
    arc.imaginary = log(a + sqrt(a * a - 1));
  }
  return arc;
}

// Evaluates Hull's approximations for all other x and y, where they are exact to the last place.
template <bool cosine, NativeFloat T>
GPUARRAY_HD Arc<T> arc_extreme(T x, T y) {
  const T epsilon = power_of_two<T>(-FloatLayout<T>::fraction_bits);
  const T below = absolute(x - 1);
  if (x == 1 && y < 1) return {cosine ? sqrt(y) : T(kHalfPi) - sqrt(y), sqrt(y)};
  if (y <= epsilon * below) {
    if (x < 1) return {cosine ? arccos(x) : arcsin(x), y / sqrt(below * (1 + x))};
    const T size = x > 1 / epsilon ? log(x) + T(kLog2) : log1p(below + sqrt(below * (x + 1)));
    const T height = x > 1 / epsilon ? y / x : y / sqrt(below * (x + 1));
    return {cosine ? height : T(kHalfPi), size};
  }
  if (epsilon * y - 1 >= x) return {cosine ? T(kHalfPi) : x / y, log(y) + T(kLog2)};
  if (x > 1) {
    const T ratio = x / y;
    return {cosine ? arctan2(y, x) : arctan2(x, y),
            log(y) + T(kLog2) + T(0.5) * log1p(ratio * ratio)};
  }
  const T a = sqrt(1 + y * y);
  return {cosine ? T(kHalfPi) : x / a, T(0.5) * log1p(2 * y * (y + a))};
}

template <bool cosine, NativeFloat T>
GPUARRAY_HD Arc<T> arc(T x, T y) {
  constexpr int half_range = FloatLayout<T>::bias / 2;
  const T largest = power_of_two<T>(half_range - 3), smallest = power_of_two<T>(3 - half_range);
  const bool regular = fmax(x, y) < largest && fmin(x, y) > smallest;
  return regular ? arc_regular<cosine>(x, y) : arc_extreme<cosine>(x, y);
}

}  // namespace detail

template <NativeFloat T>
GPUARRAY_HD complex<T> arcsin(complex<T> a) {
  detail::Arc<T> arc;
  if (isinf(a)) {
    const T angle = isinf(a.re) ? T(isinf(a.im) ? detail::kHalfPi / 2 : detail::kHalfPi) : T(0);
    arc = {isnan(a) ? nan<T>() : angle, infinity<T>()};
  } else if (isnan(a)) {
    arc = {a.re == 0 ? T(0) : nan<T>(), nan<T>()};
  } else {
    arc = detail::arc<false>(absolute(a.re), absolute(a.im));
  }
  return {copysign(arc.real, a.re), copysign(arc.imaginary, a.im)};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> arccos(complex<T> a) {
  detail::Arc<T> arc;
  if (isinf(a)) {
    const T angle = isinf(a.re) ? T(isinf(a.im) ? detail::kHalfPi / 2 : 0) : T(detail::kHalfPi);
    arc = {isnan(a) ? nan<T>() : angle, infinity<T>()};
  } else if (isnan(a)) {
    arc = {a.re == 0 ? T(detail::kHalfPi) : nan<T>(), nan<T>()};
  } else {
    arc = detail::arc<true>(absolute(a.re), absolute(a.im));
  }
  return {signbit(a.re) ? T(detail::kPi) - arc.real : arc.real,
          signbit(a.im) ? arc.imaginary : -arc.imaginary};
}

// Uses arcsinh(z) = -i arcsin(iz).
template <NativeFloat T>
GPUARRAY_HD complex<T> arcsinh(complex<T> a) {
  const complex<T> turned = arcsin(complex<T>{-a.im, a.re});
  return {turned.im, -turned.re};
}

template <NativeFloat T>
GPUARRAY_HD complex<T> arccosh(complex<T> a) {
  const complex<T> turned = arccos(a);
  return {absolute(turned.im), copysign(turned.re, a.im)};
}

// Follows Kahan, "Branch cuts for complex elementary functions", 1987.
template <NativeFloat T>
GPUARRAY_HD complex<T> arctanh(complex<T> a) {
  const T x = absolute(a.re), y = absolute(a.im);
  // The sign of a NaN is not copied to a part of the result.
  if (isinf(a))
    return {isnan(x) ? T(0) : copysign(T(0), a.re),
            isnan(y) ? y : copysign(T(detail::kHalfPi), a.im)};
  if (isnan(a)) return {a.re == 0 ? a.re : nan<T>(), nan<T>()};
  constexpr int half_range = FloatLayout<T>::bias / 2;
  const T huge = detail::power_of_two<T>(half_range - 2),
          tiny = detail::power_of_two<T>(-half_range);
  if (fmax(x, y) > huge) {
    const T size = hypot(x / 4, y / 4);
    return {copysign(x / 4 / size / size / 4, a.re), copysign(T(detail::kHalfPi), a.im)};
  }
  const T below = 1 - x;
  const T re = x == 1 && y < tiny ? T(0.5) * (T(detail::kLog2) - log(y))
                                  : T(0.25) * log1p(4 * x / (below * below + y * y));
  const T im = T(0.5) * arctan2(2 * y, below * (1 + x) - y * y);
  return {copysign(re, a.re), copysign(im, a.im)};
}

// Uses arctan(z) = -i arctanh(iz).
template <NativeFloat T>
GPUARRAY_HD complex<T> arctan(complex<T> a) {
  const complex<T> turned = arctanh(complex<T>{-a.im, a.re});
  return {turned.im, isnan(a.im) && isinf(a.re) ? T(0) : -turned.re};
}

}  // namespace gpuarray::math
