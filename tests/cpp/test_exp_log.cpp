// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Compares the host's exponentials, logarithms, powers and hyperbolic functions with those of the C
// library in long double.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "kernels/element/math.cuh"

using namespace gpuarray;

namespace {

// Returns abs(got - expected) in units in the last place that T has at `expected`; 0 where the
// rounded one is the same or both are NaN, and infinity where signs, zeros or infinities differ.
template <class T>
double error_in_ulps(T got, long double expected) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(expected);
  if (rounded != rounded) return got != got ? 0 : Limits::infinity();
  if (std::signbit(got) != std::signbit(rounded)) return Limits::infinity();
  if (got == rounded) return 0;
  if (std::isinf(got) || std::isinf(rounded) || expected == 0) return Limits::infinity();
  const int exponent = std::max(std::ilogb(expected), Limits::min_exponent - 1);
  return static_cast<double>(std::fabs(got - expected) /
                             std::ldexp(1.0L, exponent - Limits::digits + 1));
}

// Returns numbers of every kind: special ones, their neighbours, any bits, and those of [-1, 1],
// around 1 and within the range of exp.
template <class T>
std::vector<T> arguments(int count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {0, 0.5, 1, 2, 3, 8, 10, 27, 100, 1000, Limits::min(), Limits::max()};
  numbers.insert(numbers.end(), {Limits::denorm_min(), Limits::infinity(), Limits::quiet_NaN()});
  const T range = std::log(Limits::max());
  numbers.insert(numbers.end(), {range, range + 1, T(Limits::max_exponent), T(104), T(746)});
  for (size_t index = numbers.size(); index-- > 0;) {
    numbers.push_back(std::nextafter(numbers[index], Limits::infinity()));
    numbers.push_back(std::nextafter(numbers[index], T(0)));
  }
  // Where expm1, tanh and arccosh are off the most, of all float32 and of a search in float64.
  for (double hard : {0.34668535, 0.34674373346603538, 0.34687725, 0.173321396, 0.20904334033150077,
                      1.0001219434414306, 1.0004753652570986, 1.00701284, 0.52052463698969675,
                      0.518135071, 0.46183502210439168, 0.120160908})
    numbers.push_back(T(hard));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> unit(-1, 1);
  for (int index = 0; index < count; ++index) {
    numbers.push_back(from_bits<T>(static_cast<unsigned_t<T>>(random())));
    numbers.push_back(unit(random));
    numbers.push_back(1 + unit(random) / 2);
    numbers.push_back(unit(random) * range * T(1.1));
  }
  for (size_t index = numbers.size(); index-- > 0;) numbers.push_back(-numbers[index]);
  return numbers;
}

template <class T, class Function, class Reference>
void check_accuracy(const char* name, double limit, Function function, Reference reference) {
  double worst = 0;
  T where = 0;
  for (T a : arguments<T>(20000)) {
    const double error = error_in_ulps<T>(function(a), reference(static_cast<long double>(a)));
    if (error > worst) worst = error, where = a;
  }
  if (worst > limit) std::fprintf(stderr, "%s(%a): %g\n", name, double(where), worst);
  CHECK(worst <= limit);
}

template <class T>
void test_accuracy() {
#define CHECK_FUNCTION(name, reference, limit) \
  check_accuracy<T>(                           \
      #name, limit, [](T a) { return math::name(a); }, [](long double a) { return reference(a); })
  CHECK_FUNCTION(exp, std::exp, 1);
  CHECK_FUNCTION(exp2, std::exp2, 1);
  CHECK_FUNCTION(expm1, std::expm1, 1.6);
  CHECK_FUNCTION(log, std::log, 1);
  CHECK_FUNCTION(log2, std::log2, 1);
  CHECK_FUNCTION(log10, std::log10, 1);
  CHECK_FUNCTION(log1p, std::log1p, 1);
  CHECK_FUNCTION(sinh, std::sinh, 1);
  CHECK_FUNCTION(cosh, std::cosh, 1);
  CHECK_FUNCTION(tanh, std::tanh, 1.6);
  CHECK_FUNCTION(arcsinh, std::asinh, 2);
  CHECK_FUNCTION(arccosh, std::acosh, 2.5);
  CHECK_FUNCTION(arctanh, std::atanh, 2);
  CHECK_FUNCTION(cbrt, std::cbrt, 1);
#undef CHECK_FUNCTION
}

template <class T>
void test_power() {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<T> unit(-1, 1);
  const T range = std::numeric_limits<T>::max_exponent * T(1.1);
  double worst = 0;
  const auto check = [&](T a, T b) {
    const double error = error_in_ulps<T>(
        math::power(a, b), std::pow(static_cast<long double>(a), static_cast<long double>(b)));
    if (error > 1) std::fprintf(stderr, "power(%a, %a): %g\n", double(a), double(b), error);
    worst = std::max(worst, error);
  };
  const std::vector<T> special = arguments<T>(5);
  for (T a : special)
    for (T b : special) check(a, b);
  for (int index = 0; index < 50000; ++index) {
    const T a = std::exp2(unit(random)), any = from_bits<T>(static_cast<unsigned_t<T>>(random()));
    check(a, unit(random) * range / std::log2(a));  // up to the largest and smallest results
    check(std::fabs(any), unit(random));
    check(any, std::rint(8 * unit(random)));
  }
  CHECK(worst <= 1);
}

// What C's functions give exactly is exact here.
template <class T>
void test_exact_results() {
  using Limits = std::numeric_limits<T>;
  bool powers = true, logs = true, tens = true, roots = true, products = true;
  for (int n = Limits::min_exponent - Limits::digits; n < Limits::max_exponent; ++n) {
    const T power = std::ldexp(T(1), n);
    powers &= math::exp2(T(n)) == power && math::power(T(2), T(n)) == power;
    logs &= math::log2(power) == n;
  }
  T ten = 1;
  for (int n = 0; n <= (Limits::digits == 24 ? 10 : 22); ++n, ten *= 10) {
    tens &= math::log10(ten) == n && math::power(T(10), T(n)) == ten;
  }
  for (int n = 1; n <= 255; ++n) {
    roots &= math::cbrt(T(n) * n * n) == n && math::cbrt(-T(n) * n * n) == -n;
    products &= math::power(T(n), T(2)) == T(n) * n && math::power(T(-n), T(3)) == -T(n) * n * n;
  }
  CHECK(powers && logs && tens && roots && products);
}

// Returns a hash (FNV-1a) of the bits of results, where all NaNs are one.
template <class T, class Function>
uint64_t hash_of_results(Function function) {
  std::mt19937_64 random(3);
  uint64_t hash = 0xcbf29ce484222325u;
  for (int index = 0; index < 50000; ++index) {
    const int32_t whole = static_cast<int32_t>(random());
    const T any = from_bits<T>(static_cast<unsigned_t<T>>(random()));
    for (T a : {any, T(whole) * T(0x1p-31), T(whole) * T(0x1p-24)}) {
      const T result = function(a, T(whole) * T(0x1p-28));
      hash = (hash ^ (result == result ? to_bits(result) : 1)) * 0x100000001b3u;
    }
  }
  return hash;
}

// The bits are the same for every processor and compiler. A change of these functions that is meant
// to change results changes the hashes.
template <class T>
void test_bits(std::initializer_list<uint64_t> hashes) {
  const uint64_t* expected = hashes.begin();
  const auto check = [&](const char* name, uint64_t hash) {
    if (hash != *expected)
      std::fprintf(stderr, "%s: 0x%016llx\n", name, static_cast<unsigned long long>(hash));
    CHECK(hash == *expected++);
  };
#define CHECK_BITS(name, ...) \
  check(#name,                \
        hash_of_results<T>([](T a, [[maybe_unused]] T b) { return math::name(__VA_ARGS__); }))
  CHECK_BITS(exp, a);
  CHECK_BITS(exp2, a);
  CHECK_BITS(expm1, a);
  CHECK_BITS(log, math::absolute(a));
  CHECK_BITS(log2, math::absolute(a));
  CHECK_BITS(log10, math::absolute(a));
  CHECK_BITS(log1p, a);
  CHECK_BITS(sinh, a);
  CHECK_BITS(cosh, a);
  CHECK_BITS(tanh, a);
  CHECK_BITS(arcsinh, a);
  CHECK_BITS(arccosh, math::absolute(a));
  CHECK_BITS(arctanh, a);
  CHECK_BITS(cbrt, a);
  CHECK_BITS(power, math::absolute(a), b);
#undef CHECK_BITS
}

}  // namespace

int main() {
  test_bits<float>({0xd1c798955b3f5da6, 0x3ea35b009923a6a5, 0xade2277f982185d4, 0x5f0629abd650d6b0,
                    0x3de486acddceeddf, 0xa86cd64de4596fdd, 0xb9a85dec9f660e20, 0xdfbed3f9625d95bc,
                    0xaa234e3cb00998a4, 0x835722096dbe68ce, 0x96337985cf114cf5, 0x7747950ecd3f51c2,
                    0x9015a137baaca3f2, 0x28183606f1027363, 0x27f543e4cef5bd5d});
  test_bits<double>({0x80a2688b0a242ada, 0x560a0b6e17f4269a, 0x312d5f1d1173b152, 0xcf38666e1dc6eeb6,
                     0x372c8afb210d99b7, 0xee53346c4d68edb5, 0xc4f6e529cf0febdf, 0x88254b55b8d59cfb,
                     0x9ab6e6aa0c13cf34, 0xa0ad7189c194556d, 0xea5e5101a82dab30, 0xb221630d84c43c62,
                     0x17b22de1439d58dd, 0x0e4140db7e4bc501, 0x3fc23a5da3bce94e});
  test_accuracy<float>();
  test_accuracy<double>();
  test_power<float>();
  test_power<double>();
  test_exact_results<float>();
  test_exact_results<double>();
  return check_report();
}
