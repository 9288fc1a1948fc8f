// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The words and the simple numbers that distributions are made of.
#pragma once

#include "kernels/random/distribution_math.cuh"

namespace gpuarray::random {

// Holds 128 bits as two words.
struct WordPair {
  uint64_t low, high;
};

// Returns block `block` of the element's stream of words: Philox4x32-10 (J. K. Salmon et al. 2011)
// of the counter (element, block).
GPUARRAY_HD WordPair philox4x32(uint64_t key, uint64_t element, uint64_t block) {
  uint32_t c0 = uint32_t(element), c1 = uint32_t(element >> 32);
  uint32_t c2 = uint32_t(block), c3 = uint32_t(block >> 32);
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xd2511f53) * c0, b = uint64_t(0xcd9e8d57) * c2;
    c0 = uint32_t(b >> 32) ^ c1 ^ k0;
    c2 = uint32_t(a >> 32) ^ c3 ^ k1;
    c1 = uint32_t(b);
    c3 = uint32_t(a);
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return {c0 | uint64_t(c1) << 32, c2 | uint64_t(c3) << 32};
}

// Gives the random numbers of one element of a result, one after the other. They depend on the key
// and the element's index alone, and not on what computes them.
class Source {
 public:
  GPUARRAY_HD Source(uint64_t key, uint64_t element) : key_(key), element_(element) {}

  GPUARRAY_HD uint64_t key() const { return key_; }
  GPUARRAY_HD uint64_t element() const { return element_; }

  GPUARRAY_HD uint64_t word() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const WordPair pair = philox4x32(key_, element_, block_++);
    spare_ = pair.high;
    has_spare_ = true;
    return pair.low;
  }

  // Returns a multiple of 2**-53 in [0, 1).
  GPUARRAY_HD double uniform() { return double(int64_t(word() >> 11)) * 0x1p-53; }
  // Returns a multiple of 2**-53 in (0, 1].
  GPUARRAY_HD double positive_uniform() { return double(int64_t(word() >> 11) + 1) * 0x1p-53; }

  GPUARRAY_HD double exponential() { return -log(positive_uniform()); }

  // G. E. P. Box and M. E. Muller (1958), of whose two numbers one is used.
  GPUARRAY_HD double normal() {
    const double radius = ::sqrt(2 * exponential());
    return radius * cos_pi(2 * uniform());
  }

 private:
  uint64_t key_, element_, block_ = 0, spare_ = 0;
  bool has_spare_ = false;
};

// Integers that stand where there is no result because of a parameter, and that replace results
// beyond their range.
inline constexpr int64_t kNoInteger = int64_t(uint64_t(1) << 63);
inline constexpr int64_t kLargestInteger = int64_t(~(uint64_t(1) << 63));

// Converts a whole number that is not negative, or NaN.
GPUARRAY_HD int64_t to_integer(double x) {
  if (x != x) return kNoInteger;
  return x < 0x1p63 ? int64_t(x) : kLargestInteger;
}

}  // namespace gpuarray::random
