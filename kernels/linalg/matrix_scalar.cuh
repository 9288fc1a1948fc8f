// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Arithmetic on the elements of small matrices, real and complex. Products are added with a single
// rounding.
#pragma once

#include "kernels/element/math_complex.cuh"
#include "kernels/element/math_float.cuh"
#include "kernels/matmul/plus_product.cuh"

namespace gpuarray::linalg {

template <NativeFloat R>
inline constexpr R epsilon = R(1) / R(uint64_t(1) << FloatLayout<R>::fraction_bits);

// Returns sum - a * b.
template <class T>
GPUARRAY_HD T minus_product(T sum, T a, T b) {
  return plus_product(sum, math::negative(a), b);
}
// Returns sum + conj(a) * b.
template <class T>
GPUARRAY_HD T plus_conjugate(T sum, T a, T b) {
  return plus_product(sum, math::conjugate(a), b);
}

template <NativeFloat R>
GPUARRAY_HD R scaled(R a, R factor) {
  return a * factor;
}
template <class R>
GPUARRAY_HD complex<R> scaled(complex<R> a, R factor) {
  return {a.re * factor, a.im * factor};
}

template <NativeFloat R>
GPUARRAY_HD R real_part(R a) {
  return a;
}
template <class R>
GPUARRAY_HD R real_part(complex<R> a) {
  return a.re;
}
template <NativeFloat R>
GPUARRAY_HD bool is_real(R) {
  return true;
}
template <class R>
GPUARRAY_HD bool is_real(complex<R> a) {
  return a.im == 0;
}

template <NativeFloat R>
GPUARRAY_HD R divide_real(R a, R by) {
  return a / by;
}
template <class R>
GPUARRAY_HD complex<R> divide_real(complex<R> a, R by) {
  return {a.re / by, a.im / by};
}

// Returns sum + |a|^2.
template <NativeFloat R>
GPUARRAY_HD R plus_square(R sum, R a) {
  return plus_product(sum, a, a);
}
template <class R>
GPUARRAY_HD R plus_square(R sum, complex<R> a) {
  return plus_product(plus_product(sum, a.re, a.re), a.im, a.im);
}

// Returns |a|, or |re| + |im|, by which LAPACK chooses pivots.
template <NativeFloat R>
GPUARRAY_HD R rough_size(R a) {
  return math::absolute(a);
}
template <class R>
GPUARRAY_HD R rough_size(complex<R> a) {
  return math::absolute(a.re) + math::absolute(a.im);
}

// Returns the larger of two sizes, or NaN if one is NaN.
template <NativeFloat R>
GPUARRAY_HD R larger_size(R a, R b) {
  return a > b || a != a ? a : b;
}
// Returns the size of the largest part, which is finite if the number is, or NaN.
template <NativeFloat R>
GPUARRAY_HD R largest_part(R a) {
  return math::absolute(a);
}
template <class R>
GPUARRAY_HD R largest_part(complex<R> a) {
  return larger_size(math::absolute(a.re), math::absolute(a.im));
}

template <class T>
GPUARRAY_HD T all_nan() {
  using R = real_t<T>;
  if constexpr (is_complex_v<T>)
    return {nan<R>(), nan<R>()};
  else
    return nan<R>();
}

// Returns the power of two that brings a finite size to between 1 and 4, if there is one, and its
// reciprocal to undo that; both are 1 for 0.
template <NativeFloat R>
struct PowerOfTwo {
  R factor, undo;
};
template <NativeFloat R>
GPUARRAY_HD PowerOfTwo<R> scale_of(R size) {
  using Bits = unsigned_t<R>;
  constexpr int shift = FloatLayout<R>::fraction_bits, most = 2 * FloatLayout<R>::bias - 1;
  if (size == 0) return {R(1), R(1)};
  const int given = int(to_bits(size) >> shift);
  const int exponent = given < 1 ? 1 : given > most ? most : given;
  return {from_bits<R>(Bits(2 * FloatLayout<R>::bias - exponent) << shift),
          from_bits<R>(Bits(exponent) << shift)};
}

// Returns c x + s y, given c - 1 for c, which many rotations would otherwise round to the same
// side.
template <class T>
GPUARRAY_HD T rotated(T x, real_t<T> c1, T s, T y) {
  return math::add(x, plus_product(scaled(x, c1), s, y));
}

// Rotates two columns p and q: p' = c p - conj(s) q, q' = s p + c q.
template <class T>
struct Rotation {
  real_t<T> c1;  // c - 1
  T s;
  real_t<T> shift;  // what p' p loses and q' q gains

  GPUARRAY_HD void apply(T& p, T& q) const {
    const T before = p;
    p = rotated(p, c1, math::negative(math::conjugate(s)), q);
    q = rotated(q, c1, s, before);
  }
};

// Keeps the upper half of a float64 number's bits: what devices compute quickly.
GPUARRAY_HD double upper_half(double a) { return from_bits<double>(to_bits(a) >> 32 << 32); }

// Returns 1 / a and sqrt(a) of normal numbers, float64 ones to about 2^-20, without the tests and
// steps that rounding takes. Float32 ones are exact.
template <NativeFloat R>
GPUARRAY_HD R quick_reciprocal(R a) {
  if constexpr (is_same_v<R, double>) {
#ifdef __CUDA_ARCH__
    double made;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(made) : "d"(a));
    return made;
#else
    return upper_half(1 / upper_half(a));
#endif
  } else {
    return R(1) / a;
  }
}
template <NativeFloat R>
GPUARRAY_HD R quick_sqrt(R a) {
  if constexpr (is_same_v<R, double>) {
#ifdef __CUDA_ARCH__
    double inverse;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(a));
    return a * inverse;
#else
    return a * upper_half(1 / math::sqrt(upper_half(a)));
#endif
  } else {
    return math::sqrt(a);
  }
}

// Returns whether a column is 0, given the sum of its squares, or so small beside columns of about
// 1 that it has no direction: rounding errors alone, which each sweep makes smaller.
template <NativeFloat R>
GPUARRAY_HD bool is_negligible(R square) {
  return !(square >= (is_same_v<R, float> ? R(1e-31) : R(1e-60)));
}

// Returns whether two columns are orthogonal but for rounding errors, which rotations of columns of
// equal norms leave behind. `p` and `q` are the sums of their squares over so many elements.
template <class T>
GPUARRAY_HD bool is_orthogonal(T product, real_t<T> p, real_t<T> q, int elements) {
  using R = real_t<T>;
  return is_negligible(p) || is_negligible(q) ||
         !(largest_part(product) >
           3 * epsilon<R> * math::sqrt(R(elements)) * quick_sqrt(p) * quick_sqrt(q));
}

// Returns a sine with the sign, or the direction, of a number of the size given.
template <class T>
GPUARRAY_HD T turned(real_t<T> sine, T number, real_t<T> size) {
  if constexpr (is_complex_v<T>)
    return {number.re / size * sine, number.im / size * sine};
  else
    return number < 0 ? -sine : sine;
}

// Returns the rotation that makes two columns orthogonal of whose products p' p = a, q' q = b and
// p' q = g, by the smaller angle. Jacobi; Golub and Van Loan, "Matrix Computations", 8.5.2.
template <class T>
GPUARRAY_HD Rotation<T> jacobi_rotation(real_t<T> a, real_t<T> b, T g) {
  using R = real_t<T>;
  const R size = math::absolute(g);
  const R zeta = (b - a) / (2 * size), steep = math::absolute(zeta);
  const R root = steep > 1 / epsilon<R> ? steep : math::sqrt(plus_square(R(1), zeta));
  const R t = math::copysign(R(1) / (steep + root), zeta);
  const R c = R(1) / math::sqrt(plus_square(R(1), t));
  const R sine = c * t, c1 = -(sine * sine) / (R(1) + c);
  return {c1, turned(sine, g, size), t * size};
}

// As jacobi_rotation, by an angle that need not be exact: of float64 products about 2^-19 is left,
// and since the next sweep computes them anew, the shift is 0.
template <class T>
GPUARRAY_HD Rotation<T> quick_rotation(real_t<T> a, real_t<T> b, T g) {
  using R = real_t<T>;
  const R size = math::absolute(g);
  const R zeta = (b - a) * quick_reciprocal(2 * size), steep = math::absolute(zeta);
  const R root = steep > 1 / epsilon<R> ? steep : quick_sqrt(plus_square(R(1), zeta));
  const R t = quick_reciprocal(steep + root);
  // By the tangent of half the angle any angle gives c^2 + s^2 = 1.
  const R half = math::copysign(t * quick_reciprocal(1 + quick_sqrt(plus_square(R(1), t))), zeta);
  const R sine = 2 * half / plus_square(R(1), half);
  return {-half * sine, turned(sine, g, size), 0};
}

// A reflection I - tau v v' with v = (1, x / (alpha - beta)) that takes the column (alpha, x) to
// (beta, 0);  is 1 / (alpha - beta). LAPACK's larfg; Golub and Van Loan, 5.1.
template <class T>
struct Reflector {
  real_t<T> beta;
  T tau, factor;
};
// `norm` is that of x.
template <class T>
GPUARRAY_HD Reflector<T> reflector(T alpha, real_t<T> norm) {
  using R = real_t<T>;
  if (norm == 0 && is_real(alpha)) return {real_part(alpha), T(0), T(0)};
  const R size = math::hypot(math::absolute(alpha), norm);
  const R beta = math::copysign(size, -real_part(alpha));
  const T gap = math::subtract(T(beta), alpha);
  return {beta, scaled(gap, R(1) / beta), math::negative(math::reciprocal(gap))};
}

// Accumulates a determinant as sign * exp(logarithm) and as a plain product, which is exact where
// it neither overflows nor underflows.
template <class T>
struct Determinant {
  T product, sign;
  real_t<T> logarithm = 0;

  GPUARRAY_HD explicit Determinant(bool odd)
      : product(odd ? real_t<T>(-1) : real_t<T>(1)), sign(product) {}

  GPUARRAY_HD void multiply(T pivot) { product = math::multiply(product, pivot); }
  GPUARRAY_HD void multiply_logarithm(T pivot) {
    sign = math::multiply(sign, math::sign(pivot));
    logarithm += math::log(math::absolute(pivot));
  }
  GPUARRAY_HD bool is_exact() const {
    const real_t<T> size = largest_part(product);
    return size >= from_bits<real_t<T>>(unsigned_t<real_t<T>>(1)
                                        << FloatLayout<real_t<T>>::fraction_bits) &&
           size < infinity<real_t<T>>();
  }
  GPUARRAY_HD T from_logarithm() const { return scaled(sign, math::exp(logarithm)); }
};

}  // namespace gpuarray::linalg
