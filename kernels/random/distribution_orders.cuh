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

// Returns a number of SplitMix64's stream with the seed given (G. L. Steele, D. Lea and C. H. Flood
// 2014).
GPUARRAY_HD uint64_t split_mix(uint64_t seed, uint64_t index) {
  uint64_t word = seed + (index + 1) * 0x9e3779b97f4a7c15;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

// Adds a random number to `number`, modulo `count`.
GPUARRAY_HD uint64_t shift_around(uint64_t number, uint32_t count, uint64_t word) {
  // The upper half of word * count.
  const uint64_t low = (word & 0xffffffff) * count, high = (word >> 32) * count;
  number += (high + (low >> 32)) >> 32;
  return number < count ? number : number - count;
}

// Permutes the numbers less than low_count * high_count, as follows from the key: a Feistel
// network, which is a permutation whatever its rounds compute (M. Luby and C. Rackoff 1988), of two
// digits.
GPUARRAY_HD uint64_t feistel(uint64_t key, uint64_t number, uint32_t low_count,
                             uint32_t high_count) {
  uint64_t low = number % low_count, high = number / low_count;
  for (int round = 0; round < 8; round += 2) {
    low = shift_around(low, low_count, split_mix(key, high * 8 + round));
    high = shift_around(high, high_count, split_mix(key, low * 8 + round + 1));
  }
  return high * low_count + low;
}

// Returns where a random permutation of [0, count) puts the source's element, which is less than
// count: the next number of its cycle that is less, too (J. Black and P. Rogaway 2002).
GPUARRAY_HD double distinct_place(Source& source, double count) {
  const uint64_t root = uint64_t(::sqrt(count));
  const uint32_t low_count = uint32_t(root + (double(root * root) < count ? 1 : 0));
  const uint32_t high_count = uint32_t((uint64_t(count) + low_count - 1) / low_count);
  uint64_t place = source.element();
  do place = feistel(source.key(), place, low_count, high_count);
  while (double(place) >= count);
  return double(place);
}

}  // namespace gpuarray::random
