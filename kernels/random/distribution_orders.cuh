// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Random orders: words to sort by, and places within a permutation that is nowhere written down.
#pragma once

#include "kernels/random/distribution_source.cuh"

namespace gpuarray::random {

// Fills a row with words, whose order is a random one.
GPUARRAY_HD void sort_words(Source& source, double, const double*, int64_t length, uint64_t* row) {
  for (int64_t k = 0; k < length; ++k) row[k] = source.word();
}

// Permutes the numbers of low_bits + high_bits bits, as follows from the key: a Feistel network,
// which is a permutation whatever its rounds compute (M. Luby and C. Rackoff 1988).
GPUARRAY_HD uint64_t feistel(uint64_t key, uint64_t number, int low_bits, int high_bits) {
  const uint64_t low_mask = (uint64_t(1) << low_bits) - 1;
  const uint64_t high_mask = (uint64_t(1) << high_bits) - 1;
  uint64_t low = number & low_mask, high = number >> low_bits;
  for (int round = 0; round < 12; round += 2) {
    low ^= philox4x32(key, high, round).low & low_mask;
    high ^= philox4x32(key, low, round + 1).low & high_mask;
  }
  return high << low_bits | low;
}

// Returns where a random permutation of [0, count) puts the source's element, which is less than
// count: the next number of its cycle that is less, too (J. Black and P. Rogaway 2002).
GPUARRAY_HD double distinct_place(Source& source, double count) {
  int bits = 2;
  while (double(uint64_t(1) << bits) < count) ++bits;
  uint64_t place = source.element();
  do place = feistel(source.key(), place, bits / 2, bits - bits / 2);
  while (double(place) >= count);
  return double(place);
}

}  // namespace gpuarray::random
