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

// Returns the product of the lower half of a word and a number of 32 bits. Vectors of words have a
// function of this name, too: what follows is for both.
GPUARRAY_HD uint64_t lower_product(uint64_t word, uint32_t number) {
  return (word & 0xffffffff) * number;
}

// The numbers of SplitMix64's stream are made of seed + (index + 1) * kSplitMixStep (G. L. Steele,
// D. Lea and C. H. Flood 2014).
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;
template <class Word>
GPUARRAY_HD Word split_mix(Word word) {
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return word ^ word >> 31;
}

// Returns `number` where it is less than `count`, else what it exceeds count by, which is less,
// too. No branch is taken, because none could be predicted.
template <class Word>
GPUARRAY_HD Word wrapped(Word number, uint32_t count) {
  const Word rest = number - count;
  return rest + lower_product(rest >> 63, count);
}

// Adds a random number to `number`, modulo `count`.
template <class Word>
GPUARRAY_HD Word shift_around(Word number, uint32_t count, Word word) {
  // The upper half of word * count.
  const Word low = lower_product(word, count), high = lower_product(word >> 32, count);
  return wrapped(number + ((high + (low >> 32)) >> 32), count);
}

// A permutation of the numbers less than low_count * high_count, as follows from the key: a Feistel
// network, which is a permutation whatever its rounds compute (M. Luby and C. Rackoff 1988), of two
// digits.
struct Network {
  uint64_t key;
  uint32_t low_count, high_count;

  // The digits suffice for the numbers less than `count`.
  GPUARRAY_HD Network(uint64_t network_key, double count) : key(network_key) {
    const uint64_t root = uint64_t(::sqrt(count));
    low_count = uint32_t(root + (double(root * root) < count ? 1 : 0));
    high_count = uint32_t((uint64_t(count) + low_count - 1) / low_count);
  }

  // Returns where it puts the number of these digits.
  template <class Word>
  GPUARRAY_HD Word place(Word low, Word high) const {
    for (int round = 0; round < 8; round += 2) {
      low = shift_around(low, low_count, number_of_round(high, round));
      high = shift_around(high, high_count, number_of_round(low, round + 1));
    }
    return lower_product(high, low_count) + low;
  }
  GPUARRAY_HD uint64_t place(uint64_t number) const {
    return place(number % low_count, number / low_count);
  }

  // Returns the number of index digit * 8 + round in the stream that has the key as its seed.
  template <class Word>
  GPUARRAY_HD Word number_of_round(Word digit, int round) const {
    return split_mix(digit * (8 * kSplitMixStep) + (key + uint64_t(round + 1) * kSplitMixStep));
  }
};

// Returns where a random permutation of [0, count) puts the source's element, which is less than
// count: the next number of its cycle that is less, too (J. Black and P. Rogaway 2002).
GPUARRAY_HD double distinct_place(Source& source, double count) {
  const Network network(source.key(), count);
  uint64_t place = source.element();
  do place = network.place(place);
  while (double(place) >= count);
  return double(place);
}

}  // namespace gpuarray::random
