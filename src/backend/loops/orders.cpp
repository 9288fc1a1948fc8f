// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Random orders, of which vectors make many elements at a time. The numbers are those of
// distribution_orders.cuh.
#include <algorithm>

#include "backend/loops/loops.hpp"
#include "backend/loops/words.hpp"
#include "kernels/random/distribution_orders.cuh"

namespace gpuarray::loops {
namespace {

// Words of neighbouring elements: two vectors, because each waits for its last product.
struct Lanes {
  static constexpr int kEach = sizeof(Words) / sizeof(uint64_t), kCount = 2 * kEach;

  Words first, second;

  explicit Lanes(uint64_t word) : first(Words{} + word), second(Words{} + word) {}
  Lanes(Words a, Words b) : first(a), second(b) {}
  // Returns first, first + 1, ...
  static Lanes count_from(uint64_t first) {
    uint64_t numbers[kCount];
    for (int lane = 0; lane < kCount; ++lane) numbers[lane] = first + uint64_t(lane);
    const Words* const words = reinterpret_cast<const Words*>(numbers);
    return {words[0], words[1]};
  }
  // The target may lie anywhere, of which `auto` would know nothing.
  void store(void* target) const {
    Words* const words = static_cast<Words*>(target);
    words[0] = first;
    words[1] = second;
  }

  friend Lanes operator+(Lanes a, Lanes b) { return {a.first + b.first, a.second + b.second}; }
  friend Lanes operator+(Lanes a, uint64_t b) { return {a.first + b, a.second + b}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {a.first - b.first, a.second - b.second}; }
  friend Lanes operator-(Lanes a, uint64_t b) { return {a.first - b, a.second - b}; }
  friend Lanes operator*(Lanes a, uint64_t b) { return {a.first * b, a.second * b}; }
  friend Lanes operator^(Lanes a, Lanes b) { return {a.first ^ b.first, a.second ^ b.second}; }
  friend Lanes operator^(Lanes a, uint64_t b) { return {a.first ^ b, a.second ^ b}; }
  friend Lanes operator|(Lanes a, Lanes b) { return {a.first | b.first, a.second | b.second}; }
  friend Lanes operator&(Lanes a, uint64_t b) { return {a.first & b, a.second & b}; }
  friend Lanes operator>>(Lanes a, int bits) { return {a.first >> bits, a.second >> bits}; }
  friend Lanes operator<<(Lanes a, int bits) { return {a.first << bits, a.second << bits}; }
  friend Lanes lower_product(Lanes a, uint32_t b) {
    const Words factor = Words{} + uint64_t(b);
    return {lower_product(a.first, factor), lower_product(a.second, factor)};
  }
};

// Returns the first word of each element, as philox4x32() makes it.
Lanes first_words(uint64_t key, Lanes element) {
  Lanes c0 = element, c1 = element >> 32, c2(0), c3(0);  // whose upper halves are not read
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const Lanes a = lower_product(c0, 0xd2511f53), b = lower_product(c2, 0xcd9e8d57);
    c0 = b >> 32 ^ c1 ^ k0;
    c2 = a >> 32 ^ c3 ^ k1;
    c1 = b;
    c3 = a;
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return (c0 & 0xffffffff) | c1 << 32;
}

void fill_sort_words(uint64_t key, int64_t first, int64_t count, uint64_t* words) {
  int64_t i = 0;
  Lanes element = Lanes::count_from(uint64_t(first));
  for (; i + Lanes::kCount <= count; i += Lanes::kCount, element = element + Lanes::kCount)
    first_words(key, element).store(words + i);
  for (; i < count; ++i) words[i] = random::philox4x32(key, uint64_t(first + i), 0).low;
}

// Writes where the network puts the numbers from `first` on. Their digits are counted, not divided.
void fill_network_places(const random::Network& network, uint64_t first, int64_t count,
                         int64_t* places) {
  const uint32_t low_count = network.low_count;
  int64_t i = 0;
  if (low_count >= Lanes::kCount) {
    Lanes low = Lanes::count_from(first % low_count), high(first / low_count);
    const auto carry = [&] {
      const Lanes kept = (low - low_count) >> 63;
      low = random::wrapped(low, low_count);
      high = high + 1 - kept;
    };
    carry();
    for (; i + Lanes::kCount <= count; i += Lanes::kCount) {
      network.place(low, high).store(places + i);
      low = low + Lanes::kCount;
      carry();
    }
  }
  for (; i < count; ++i) places[i] = int64_t(network.place(first + uint64_t(i)));
}

void fill_places(uint64_t key, int64_t population, int64_t first, int64_t count, int64_t* places) {
  constexpr int64_t kBlock = 1024;  // elements that are still in the first cache
  const random::Network network(key, double(population));
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t length = std::min(kBlock, count - begin);
    int64_t* const made = places + begin;
    fill_network_places(network, uint64_t(first + begin), length, made);
    bool leaves = false;
    for (int64_t i = 0; i < length; ++i) leaves |= made[i] >= population;
    for (int64_t i = 0; leaves && i < length; ++i)
      while (made[i] >= population) made[i] = int64_t(network.place(uint64_t(made[i])));
  }
}

}  // namespace

void add_orders(Loops& loops) {
  loops.sort_words = fill_sort_words;
  loops.places = fill_places;
}

}  // namespace gpuarray::loops
