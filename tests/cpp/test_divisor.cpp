// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <random>

#include "check.hpp"
#include "kernels/element/divisor.hpp"

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

}  // namespace

int main() {
  test_divisors();
  return check_report();
}
