// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests the scalar operations at their special values. Results are NumPy's unless a comment says
// otherwise.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

#include "backend/loops/staged_row.hpp"
#include "check.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/functors.cuh"
#include "kernels/reduce/reduce_ops.cuh"

using namespace gpuarray;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

// Returns whether two values are equal, including the sign of zero; any two NaNs are.
bool same(double a, double b) {
  return (a != a && b != b) || (a == b && math::signbit(a) == math::signbit(b));
}
template <class T>
bool same(complex<T> a, double re, double im) {
  return same(a.re, re) && same(a.im, im);
}
bool near(double a, double b, double tolerance = 1e-15) {
  return std::abs(a - b) <= tolerance * std::abs(b);
}
template <class T>
bool near(complex<T> a, double re, double im, double tolerance = 1e-15) {
  return near(a.re, re, tolerance) && near(a.im, im, tolerance);
}
template <Half T>
T rounded(double value) {
  return round_to<T>(value);
}

void test_half() {
  CHECK(rounded<half>(1.0).bits == 0x3c00);
  CHECK(rounded<half>(-0.0).bits == 0x8000);
  CHECK(rounded<half>(65519.99).bits == 0x7bff);
  CHECK(rounded<half>(65520.0).bits == 0x7c00);
  CHECK(rounded<half>(0x1p-25).bits == 0);  // halfway to the smallest subnormal, rounded to even
  CHECK(rounded<half>(0x1.000001p-25).bits == 1);
  CHECK(math::isnan(rounded<half>(kNan)));
  // Rounding to float first would round 1 + 2**-11 + 2**-40 down to even.
  CHECK(rounded<half>(1 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
  CHECK(rounded<bfloat16>(1 + 0x1p-8 + 0x1p-40).bits == 0x3f81);
  CHECK(rounded<bfloat16>(3.4e38).bits == 0x7f80);
  bool exact = true;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const half h = from_bits<half>(uint16_t(bits));
    const bfloat16 b = from_bits<bfloat16>(uint16_t(bits));
    exact &= math::isnan(h) || round_to<half>(to_float(h)).bits == bits;
    exact &= math::isnan(b) || round_to<bfloat16>(to_float(b)).bits == bits;
  }
  CHECK(exact);
}

void test_cast() {
  CHECK(cast<bool>(kNan) && cast<bool>(0.5) && !cast<bool>(-0.0));
  CHECK(cast<bool>(complex<float>{0, 1}) && !cast<bool>(from_bits<half>(0x8000)));
  CHECK(cast<int8_t>(300) == 44 && cast<uint8_t>(-1) == 255);
  CHECK(cast<int32_t>(-2.9) == -2 && same(cast<double>(complex<float>{1.5f, 2}), 1.5));
  // Where C++ leaves the result open, conversions saturate out of range and turn NaN into 0.
  CHECK(cast<int8_t>(1e9) == 127 && cast<uint8_t>(-3.0f) == 0 && cast<int32_t>(kNan) == 0);
  CHECK(cast<int64_t>(9.3e18) == std::numeric_limits<int64_t>::max());
  CHECK(cast<uint64_t>(kInf) == std::numeric_limits<uint64_t>::max());
  CHECK(cast<int32_t>(2147483648.0f) == std::numeric_limits<int32_t>::max());
  CHECK(cast<half>(int64_t(1) << 40).bits == 0x7c00 && cast<half>(int64_t(-65519)).bits == 0xfbff);
  CHECK(cast<bfloat16>((int64_t(257) << 54) + 1).bits == 0x5e81);
}

void test_integers() {
  constexpr int32_t lowest = std::numeric_limits<int32_t>::min();
  CHECK(math::add(int8_t(127), int8_t(1)) == -128);
  CHECK(math::multiply(uint16_t(65535), uint16_t(65535)) == 1);
  CHECK(math::absolute(lowest) == lowest && math::negative(lowest) == lowest);
  CHECK(math::floor_divide(-7, 2) == -4 && math::remainder(-7, 2) == 1 && math::fmod(-7, 2) == -1);
  CHECK(math::floor_divide(7, 0) == 0 && math::remainder(7, 0) == 0 && math::fmod(7, 0) == 0);
  CHECK(math::floor_divide(lowest, -1) == lowest && math::remainder(lowest, -1) == 0);
  CHECK(math::left_shift(1, 32) == 0 && math::left_shift(1, -1) == 0);
  CHECK(math::right_shift(-5, 99) == -1 && math::right_shift(5u, 32u) == 0);
  CHECK(math::power(3, 5) == 243 && math::power(int8_t(2), int8_t(8)) == 0);
  CHECK(math::power(-1, -3) == -1 && math::power(2, -1) == 0);
  CHECK(math::gcd(-12, 18) == 6 && math::lcm(4, -6) == 12 && math::lcm(0, 0) == 0);
  CHECK(math::reciprocal(0) == 0 && math::reciprocal(-1) == -1);
  CHECK(!math::invert(true) && math::add(true, true) && !math::multiply(true, false));
}

void test_floats() {
  CHECK(same(math::floor_divide(1.0, 0.0), kInf) && same(math::floor_divide(-1.0, kInf), -1));
  CHECK(same(math::remainder(-1.0, kInf), kInf) && same(math::remainder(2.0, -1.0), -0.0));
  CHECK(same(math::remainder(1.0, 0.0), kNan) && same(math::floor_divide(kInf, 1.0), kNan));
  CHECK(same(math::sign(-0.0), 0) && same(math::rint(2.5), 2) && same(math::rint(-0.5), -0.0));
  CHECK(same(math::maximum(1.0, kNan), kNan) && same(math::fmax(1.0, kNan), 1));
  CHECK(same(math::logaddexp(-kInf, -kInf), -kInf) && same(math::logaddexp(kInf, 1.0), kInf));
  CHECK(same(math::heaviside(0.0, 0.5), 0.5) && same(math::heaviside(kNan, 0.5), kNan));
  CHECK(math::nextafter(from_bits<half>(0x3c00), from_bits<half>(0x7c00)).bits == 0x3c01);
  CHECK(math::nextafter(from_bits<bfloat16>(0), from_bits<bfloat16>(0xbf80)).bits == 0x8001);
  CHECK(same(math::spacing(1.0), 0x1p-52) && same(math::spacing(kInf), kNan));
  CHECK(same(math::frexp_mantissa(0x1p-1074), 0.5) && math::frexp_exponent(0x1p-1074) == -1073);
}

// Remainders and products with powers of two are those of the C library, for numbers of any kind
// and for quotients of any size that are whole or nearly so.
template <class T>
void test_exact_functions() {
  std::mt19937_64 random(5);
  const auto any = [&] { return from_bits<T>(static_cast<unsigned_t<T>>(random())); };
  bool remainders = true, products = true;
  for (int index = 0; index < 200000; ++index) {
    const T b = any(), whole = std::rint(std::exp2(T(random() % 60)) * T(1.37));
    for (T near : {b * whole, std::nextafter(b * whole, T(0)), b, any()}) {
      remainders &= same(math::fmod(near, b), std::fmod(near, b));
      remainders &=
          !math::direct::covers(near, b) || same(math::direct::fmod(near, b), std::fmod(near, b));
    }
    const int exponent = static_cast<int>(random() % 5000) - 2500;
    for (T a : {any(), from_bits<T>(to_bits(any()) & ~FloatLayout<T>::infinity)})
      products &= same(math::ldexp(a, T(exponent)), std::ldexp(a, exponent));
  }
  CHECK(remainders && products);
}

// Returns the error of a result in units of the last place of `exact`.
template <class T>
double ulps(T result, long double exact) {
  const int digits = std::numeric_limits<T>::digits,
            smallest = std::numeric_limits<T>::min_exponent;
  int exponent;
  std::frexp(exact, &exponent);
  return double(std::abs(result - exact) / std::ldexp(1.0L, std::max(exponent, smallest) - digits));
}

// Returns the arguments that reduction finds hard: those nearest to multiples of pi/2, and some
// between, up to 2**20 in magnitude.
template <class T>
std::vector<T> hard_angles() {
  std::vector<T> angles;
  for (int k = 0; k < 667544; k += 1 + k / 64)
    for (double factor : {0.0, 0.13, 0.5, 0.77}) {
      const T angle = T((k + factor) * (kPi / 2));
      for (T a : {std::nextafter(angle, T(0)), angle, std::nextafter(angle, T(2e6))})
        angles.insert(angles.end(), {a, -a});
    }
  return angles;
}

// Returns the largest error of `function` at the arguments.
template <class T>
double worst(T (*function)(T), long double (*exact)(long double), const std::vector<T>& arguments) {
  double error = 0;
  for (T a : arguments) error = std::max(error, ulps(function(a), exact(a)));
  return error;
}

template <class T>
void test_angle_accuracy() {
  std::vector<T> angles = hard_angles<T>(), sines;
  // The digits of long double do not suffice to tell an ULP of double beyond 2**10.
  if (sizeof(T) == 8) std::erase_if(angles, [](T a) { return std::abs(a) > 1024; });
  for (int k = -1000; k <= 1000; ++k)
    for (double step : {0.0, 1e-7, 0.3})
      sines.push_back(T(std::clamp((k + step) / 1000, -1.0, 1.0)));
  CHECK(worst<T>(math::sin, sinl, angles) < 0.9 && worst<T>(math::cos, cosl, angles) < 0.9);
  // Found by a search: the tangent is off the most near 1.
  for (double hard : {-569753.7428316033, 754086.69359111856, 80.896376387052925})
    angles.push_back(T(hard));
  CHECK(worst<T>(math::tan, tanl, angles) < 2.5);
  CHECK(worst<T>(math::arctan, atanl, angles) < 1.5 && worst<T>(math::arctan, atanl, sines) < 1.5);
  CHECK(worst<T>(math::arcsin, asinl, sines) < 1.25 && worst<T>(math::arccos, acosl, sines) < 1.25);
  double angle = 0, length = 0;
  for (T a : sines)
    for (T b : {T(0.4), T(-1e-3), T(1e30), T(3e-38), std::numeric_limits<T>::denorm_min()}) {
      angle = std::max({angle, ulps(math::arctan2(a, b), atan2l(a, b)),
                        ulps(math::arctan2(b, a), atan2l(b, a))});
      length = std::max(length, ulps(math::hypot(a, b), hypotl(a, b)));
    }
  CHECK(angle < 1.6 && length < 0.9);
}

template <class T>
void test_angle_special_values() {
  const T inf = T(kInf), tiny = std::numeric_limits<T>::denorm_min(), zero = 0;
  const T largest = std::numeric_limits<T>::max();
  for (T bad : {inf, -inf, T(kNan)})
    CHECK(same(math::sin(bad), kNan) && same(math::cos(bad), kNan) && same(math::tan(bad), kNan));
  for (T small : {zero, -zero, tiny, -tiny, -5 * tiny}) {
    CHECK(same(math::sin(small), small) && same(math::tan(small), small));
    CHECK(same(math::arctan(small), small) && same(math::arcsin(small), small));
    CHECK(same(math::cos(small), 1) && same(math::arccos(small), T(kPi / 2)));
  }
  for (T huge : {T(1048577), T(3e9), T(1e22), T(-1e38), largest}) {
    CHECK(ulps(math::sin(huge), sinl(huge)) < 1 && ulps(math::cos(huge), cosl(huge)) < 1);
    CHECK(ulps(math::tan(huge), tanl(huge)) < 2);
  }
  CHECK(same(math::arctan(inf), T(kPi / 2)) && same(math::arctan(-inf), T(-kPi / 2)));
  CHECK(same(math::arcsin(T(1)), T(kPi / 2)) && same(math::arccos(T(-1)), T(kPi)));
  CHECK(same(math::arccos(T(1)), 0) && same(math::arcsin(T(-1.5)), kNan));
  CHECK(same(math::arccos(T(kNan)), kNan) && same(math::arctan(T(kNan)), kNan));
  const T points[] = {zero, -zero, tiny, -tiny, 1, -3, largest, -largest, inf, -inf, T(kNan)};
  for (T y : points)
    for (T x : points) {
      CHECK(same(math::arctan2(y, x), std::atan2(y, x)) ||
            ulps(math::arctan2(y, x), atan2l(y, x)) < 1.5);
      CHECK(same(math::hypot(y, x), std::hypot(y, x)) || ulps(math::hypot(y, x), hypotl(y, x)) < 1);
    }
}

// Runs a staged loop over `count` elements, every `rare`-th of which is not covered, and compares
// with the functor's results.
template <class Functor, class T>
bool staged_equals_functor(int count, int rare, bool in_place) {
  std::vector<T> a(count), out(count, T(7));
  for (int i = 0; i < count; ++i) a[i] = T(i % rare ? 0.37 * i : 1e7 + i);
  const std::vector<T> before = a;
  T* const results = in_place ? a.data() : out.data();
  char* const data[] = {reinterpret_cast<char*>(results), reinterpret_cast<char*>(a.data())};
  const int64_t steps[] = {1, 1};
  loops::staged_row<Functor, T>(data, steps, count);
  bool equal = true;
  for (int i = 0; i < count; ++i) equal &= results[i] == Functor::apply(before[i]);
  return equal;
}

template <class T>
void test_staged_rows() {
  for (int count : {0, 1, 255, 256, 1000})
    for (int rare : {1, 2, 300, 5000})
      for (bool in_place : {false, true}) {
        CHECK((staged_equals_functor<sin_functor<T>, T>(count, rare, in_place)));
        CHECK((staged_equals_functor<tan_functor<T>, T>(count, rare, in_place)));
      }
}

void test_complex_arithmetic() {
  using C = complex<double>;
  CHECK(same(math::divide(C{1, 2}, C{0, 0}), kInf, kInf));
  CHECK(same(math::divide(C{4, 2}, C{0, 2}), 1, -2));
  CHECK(math::less(C{1, 2}, C{1, 3}) && !math::less(C{0, kNan}, C{1, 0}));
  CHECK(math::isnan(math::maximum(C{9, 0}, C{0, kNan})));
  CHECK(same(math::sign(C{3, -4}), 0.6, -0.8) && same(math::sign(C{kInf, 1}), 1, 0));
  CHECK(same(math::power(C{0, 0}, C{0, 0}), 1, 0) && same(math::power(C{0, 0}, C{2, 1}), 0, 0));
  CHECK(same(math::power(C{0, 1}, C{2, 0}), -1, 0));
}

void test_complex_functions() {
  using C = complex<double>;
  CHECK(same(math::sqrt(C{-4, -0.0}), 0, -2) && same(math::sqrt(C{kNan, kInf}), kInf, kInf));
  CHECK(near(math::sqrt(C{1e308, 1e308}), 1.0986841134678098e154, 4.550898605622274e153));
  CHECK(same(math::exp(C{kInf, 0}), kInf, 0) && same(math::exp(C{-kInf, kNan}), 0, 0));
  const C large = math::exp(C{1000, 0x1p-600});
  CHECK(same(large.re, kInf) &&
        near(large.im, 0x1p-600 * std::exp(500.0) * std::exp(500.0), 1e-13));
  CHECK(same(math::log(C{0, 0}), -kInf, 0) && near(math::log(C{-1, -0.0}), 0, -kPi));
  CHECK(near(math::log(C{1, 1e-10}), 5e-21, 1e-10));
  CHECK(near(math::log1p(C{-1e-20, 1e-10}), -5e-21, 1e-10));
  CHECK(same(math::tanh(C{kInf, 1}), 1, 0) && near(math::tan(C{0.5, 300}).im, 1));
  // On a branch cut the sign of zero says from which side the result continues.
  CHECK(near(math::arcsin(C{2, 0.0}), kPi / 2, 1.3169578969248167));
  CHECK(near(math::arcsin(C{2, -0.0}), kPi / 2, -1.3169578969248167));
  CHECK(near(math::arccos(C{-2, 0.0}), kPi, -1.3169578969248167));
  CHECK(same(math::arccos(C{1, 0}), 0, -0.0) && same(math::arcsin(C{0, 0}), 0, 0));
  CHECK(near(math::arctan(C{0.0, 2}), kPi / 2, 0.5493061443340548));
  CHECK(near(math::arctan(C{-0.0, 2}), -kPi / 2, 0.5493061443340548));
  CHECK(near(math::arccosh(C{-1, 0.0}), 0, kPi) &&
        near(math::arcsinh(C{1e300, 1}), 691.4686750787736, 1e-300));
  CHECK(near(math::arctanh(C{1e200, 1e200}), 5e-201, kPi / 2));
  CHECK(near(math::arcsin(complex<float>{1e-30f, 1e-30f}), 1e-30f, 1e-30f, 1e-7));
}

template <class Reducer, class T, int count>
typename Reducer::result reduce(const T (&values)[count], bool backwards) {
  auto total = Reducer::identity();
  for (int step = 0; step < count; ++step) {
    const int index = backwards ? count - 1 - step : step;
    auto one = Reducer::start();
    Reducer::step(one, values[index], 0);
    total = Reducer::combine(Reducer::widen(one, index), total);
  }
  return Reducer::finish(total);
}

void test_reductions() {
  const double values[] = {1, 5, -2, 5}, with_nan[] = {1, kNan, 9, kNan}, low[] = {-kInf, -kInf};
  const half tenth = from_bits<half>(0x2e66), tenths[] = {tenth, tenth, tenth, tenth};
  const complex<float> pairs[] = {{1, 2}, {1, 3}, {0, 9}};
  for (bool backwards : {false, true}) {
    CHECK(reduce<argmax_reducer<double>>(values, backwards) == 1);
    CHECK(reduce<argmax_reducer<double>>(with_nan, backwards) == 1);
    CHECK(reduce<argmin_reducer<double>>(with_nan, backwards) == 1);
    CHECK(reduce<argmax_reducer<double>>(low, backwards) == 0);
    CHECK(same(reduce<max_reducer<double>>(low, backwards), -kInf));
    CHECK(same(reduce<min_reducer<double>>(with_nan, backwards), kNan));
    CHECK(same(reduce<prod_reducer<double>>(values, backwards), -50));
    CHECK(same(reduce<max_reducer<complex<float>>>(pairs, backwards), 1, 3));
    CHECK(to_float(reduce<sum_reducer<half>>(tenths, backwards)) == 0.39990234375f);
    CHECK(reduce<any_reducer<double>>(with_nan, backwards) &&
          reduce<all_reducer<double>>(low, backwards));
  }
}

}  // namespace

int main() {
  test_half();
  test_cast();
  test_integers();
  test_floats();
  test_exact_functions<float>();
  test_exact_functions<double>();
  test_angle_accuracy<float>();
  test_angle_accuracy<double>();
  test_angle_special_values<float>();
  test_angle_special_values<double>();
  test_staged_rows<float>();
  test_staged_rows<double>();
  test_complex_arithmetic();
  test_complex_functions();
  test_reductions();
  return check_report();
}
