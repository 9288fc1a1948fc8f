// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Where a bit for each key replaces a sort.
#include <initializer_list>

#include "check.hpp"
#include "kernels/sort/sort_params.hpp"

namespace gpuarray {
namespace {

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
}  // namespace gpuarray

int main() {
  gpuarray::test_bits_of_an_element();
  gpuarray::test_keys_have_32_bits();
  gpuarray::test_scattered_keys();
  return check_report();
}
