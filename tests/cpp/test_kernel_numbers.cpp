// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the host and kernels compute alike: divisions, and where bits of keys replace a sort.
#include <initializer_list>
#include <random>

#include "check.hpp"
#include "kernels/element/divisor.hpp"
#include "kernels/sort/sort_params.hpp"

using namespace gpuarray;

namespace {

std::mt19937 generator(20240607);

void test_divisors() {
  bool same = true;
  const auto check = [&](uint32_t divisor, uint32_t n) {
    same = same && Divisor::of(divisor).divide(n) == n / divisor;
  };
  constexpr uint32_t kLast = (uint32_t{1} << 31) - 1;
  for (uint32_t divisor = 1; divisor <= 4096; ++divisor) {
    const Divisor by = Divisor::of(divisor);
    for (int i = 0; i < 1000; ++i) {
      const uint32_t n = generator() & kLast;
      same = same && by.divide(n) == n / divisor;
    }
    const uint32_t multiple = kLast / divisor * divisor;
    for (uint32_t n : {0u, 1u, divisor - 1, divisor, multiple - 1, multiple, kLast})
      check(divisor, n);
  }
  for (int i = 0; i < 100000; ++i) {
    const uint32_t divisor = 1 + (generator() & kLast) % kLast, n = generator() & kLast;
    for (uint32_t close : {n, divisor - 1, divisor, kLast, kLast / divisor * divisor})
      check(divisor, close);
  }
  check(kLast, kLast);
  CHECK(same);
}

constexpr int64_t kMany = int64_t{1} << 40;
constexpr uint64_t kEdge = kDistinctSamples / kDistinctScattered;

void test_bits_of_an_element() {
  for (const int64_t count : {1, 1000, 1 << 20}) {
    const uint64_t most = kDistinctBits * uint64_t(count);
    CHECK(are_keys_near(0, 0, count));
    CHECK(are_keys_near(most - 1, 0, count));
    CHECK(!are_keys_near(most, 0, count));
  }
}

void test_keys_have_32_bits() {
  CHECK(are_keys_near(0xffffffff, 0, kMany));
  CHECK(!are_keys_near(0x100000000, 0, kMany));
  CHECK(!are_keys_near(~uint64_t{0}, 0, kMany));
}

void test_scattered_keys() {
  CHECK(are_keys_near(kDistinctCached - 1, kDistinctSamples, kMany));
  CHECK(!are_keys_near(kDistinctCached, kDistinctSamples, kMany));
  CHECK(are_keys_near(kDistinctCached, kEdge - 1, kMany));
  CHECK(!are_keys_near(kDistinctCached, kEdge, kMany));
}

}  // namespace

int main() {
  test_divisors();
  test_bits_of_an_element();
  test_keys_have_32_bits();
  test_scattered_keys();
  return check_report();
}
