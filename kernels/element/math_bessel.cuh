// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The modified Bessel function of the first kind and order 0 (Abramowitz and Stegun, 9.6.16). Its
// exponential growth is divided out; of the rest there is a polynomial up to x = 8 and another
// above, for the intervals of Cephes. Both interpolate at 80 Chebyshev nodes, by numbers of 60
// digits, cut where the series has less than 1e-17. Errors of i0 are up to 3.2 units in the last
// place.
#pragma once

#include "kernels/element/math_bits.cuh"
#include "kernels/element/math_libm.cuh"

namespace gpuarray::math {
namespace detail {

// Returns c[0] + c[1] x + c[2] x**2 + ...
template <int Count>
GPUARRAY_HD double polynomial_of(const double (&c)[Count], double x) {
  double sum = c[Count - 1];
  for (int k = Count - 2; k >= 0; --k) sum = fma(sum, x, c[k]);
  return sum;
}

// Returns 1 / sqrt(x), on devices by fewer steps than these.
GPUARRAY_HD double reciprocal_root(double x) {
#ifdef __CUDA_ARCH__
  return ::rsqrt(x);
#else
  return 1 / sqrt(x);
#endif
}

// Returns exp(-x) i0(x) for x = 4 (t + 1), where t is in [-1, 1]: the coefficients alternate, their
// absolute values add up to 1.
GPUARRAY_HD double scaled_i0_below_8(double t) {
  constexpr double c[] = {
      2.07001921223986696e-01,  -1.13004326886205486e-01, 9.45156285399510326e-02,
      -8.90434413607596176e-02, 8.73434161755231309e-02,  -8.49633809161630532e-02,
      7.92752259071634741e-02,  -6.95411956171938100e-02, 5.67770320199169481e-02,
      -4.29859494547961199e-02, 3.01779120229783565e-02,  -1.96826546905923411e-02,
      1.19600779070262210e-02,  -6.79239987307316950e-03, 3.61712644889704282e-03,
      -1.81188679393772391e-03, 8.56315274827230597e-04,  -3.82902095500659749e-04,
      1.62405421628781057e-04,  -6.55086138962085094e-05, 2.52023272710769212e-05,
      -9.25168058443265401e-06, 3.22933908264049269e-06,  -1.08833939700725177e-06,
      3.67584292655542904e-07,  -1.13841146417472556e-07, 2.62653631519701123e-08,
      -7.72309455684633266e-09, 4.47051672751174073e-09,  -1.18523424826847230e-09};
  return polynomial_of(c, t);
}

// Returns sqrt(x) exp(-x) i0(x) for x = 16 / (t + 1), where t is in [-1, 1].
GPUARRAY_HD double scaled_i0_above_8(double t) {
  constexpr double c[] = {
      4.02176509445008101e-01,  3.36055198366786139e-03,  1.36216074391930507e-04,
      1.11430337909320376e-05,  1.48384756582792489e-06,  2.97359858856739228e-07,
      8.87221973790405390e-08,  3.93258433455295187e-08,  2.15483779747915982e-08,
      7.55469188124880801e-09,  -6.74765795610752405e-09, -1.34089175400897398e-08,
      -5.40477156757995811e-09, 7.55258306212338419e-09,  7.43046465032542633e-09,
      -3.50596653087933196e-09, -5.95356943826489037e-09, 1.52008169539242316e-09,
      3.63795463590111433e-09,  -5.71584386420270866e-10, -1.61898068362468193e-09,
      1.52792026949815686e-10,  4.57708763164362292e-10,  -2.02606042874136258e-11,
      -6.06763157060300627e-11};
  return polynomial_of(c, t);
}

}  // namespace detail

GPUARRAY_HD double i0(double a) {
  const double x = absolute(a), growth = exp(x);
  if (x == 0) return 1;
  if (!(x > 8)) return growth * detail::scaled_i0_below_8(x / 4 - 1);
  const double root = detail::reciprocal_root(x);
  return growth * (detail::scaled_i0_above_8(16 * root * root - 1) * root);
}
GPUARRAY_HD float i0(float a) { return float(i0(double(a))); }
template <Half T>
GPUARRAY_HD T i0(T a) {
  return round_to<T>(i0(to_float(a)));
}

}  // namespace gpuarray::math
