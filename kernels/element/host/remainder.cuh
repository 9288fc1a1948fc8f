// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The remainder of division towards zero for the host. It is exact, so that its bits are those of
// the C library.
#pragma once

#include "kernels/element/host/power.cuh"

namespace gpuarray::math {
namespace direct {

// Returns whether direct::fmod(a, b) is right: both are finite, b is not 0, and the quotient is
// well below the number of values of a fraction.
inline bool covers(float a, float b) {
  const double x = absolute(double(a)), y = absolute(double(b));
  return (x < y * 0x1p28) & (y < 0x1p128);
}
inline bool covers(double a, double b) {
  const double x = absolute(a), y = absolute(b);
  return (x < y * 0x1p52) & (x < 0x1p990) & (y < 0x1p990);
}

// A quotient that is not whole lies 2**-24 from the next whole number at least, which a double
// below 2**28 resolves; the product and the difference are exact.
inline float fmod(float a, float b) {
  const double x = a, y = b, quotient = ::trunc(x / y);
  return copysign(float(x - quotient * y), a);
}

// Where the division rounds up to a whole number, the remainder is moved back.
inline double fmod(double a, double b) {
  const double x = absolute(a), y = absolute(b);
  const auto [product, lost] = detail::two_product(::trunc(x / y), y);
  const double rest = (x - product) - lost;
  return copysign(rest < 0 ? rest + y : rest, a);
}

}  // namespace direct

inline float fmod(float a, float b) {
  return direct::covers(a, b) ? direct::fmod(a, b) : ::fmodf(a, b);
}
inline double fmod(double a, double b) {
  return direct::covers(a, b) ? direct::fmod(a, b) : ::fmod(a, b);
}

}  // namespace gpuarray::math
