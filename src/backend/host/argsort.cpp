// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Positions that sort, in which equal elements keep their order. Words that hold a key above a
// position are sorted as integers, which takes half the time of sorting positions by their keys:
// by their digits, or by the library.
#include <algorithm>
#include <bit>

#include "backend/host/host.hpp"
#include "backend/visit.hpp"
#include "kernels/sort/sort_key.cuh"

namespace gpuarray::host {
namespace {

constexpr int64_t kShortRow = 16;                          // elements that are sorted by insertion
constexpr int64_t kLongestDistributed = int64_t{1} << 22;  // elements of a row

// Reads the key of each element of a row, in the order that the plan asks for.
template <class T>
class RowKeys {
 public:
  RowKeys(const SortPlan& plan, int64_t row)
      : source_(static_cast<const stored_t<T>*>(plan.source) + row), flips_(plan.descending) {}

  auto operator()(int64_t i) const {
    auto key = search_key(T(source_[i]));
    if constexpr (requires { key.high; }) {
      if (flips_) key = {~key.high, ~key.low};
    } else {
      if (flips_) key = decltype(key)(~key);
    }
    return key;
  }

  // Returns the key, or the half of it that is compared first.
  uint64_t word(int64_t i) const {
    const auto key = (*this)(i);
    if constexpr (requires { key.high; })
      return key.high;
    else
      return key;
  }

 private:
  const stored_t<T>* source_;
  bool flips_;
};

template <class T>
void insert_positions(const RowKeys<T>& keys, int64_t length, int64_t* positions) {
  for (int64_t i = 0; i < length; ++i) {
    const auto key = keys(i);
    int64_t place = i;
    for (; place > 0 && key_less(key, keys(positions[place - 1])); --place)
      positions[place] = positions[place - 1];
    positions[place] = i;
  }
}

// Sorts rows of a few bits by their keys as integers of the same size, which the library sorts by
// radix.
template <class T>
void argsort_by_radix(const SortPlan& plan, int64_t* positions) {
  using Key = unsigned_t<T>;
  const BufferPtr memory = new_memory<Key>(plan.count);
  Key* const keys = static_cast<Key*>(memory->data());
  const RowKeys<T> key_of(plan, 0);
  for (int64_t i = 0; i < plan.count; ++i) keys[i] = key_of(i);
  const DType dtype = sizeof(Key) == 1 ? DType::uint8 : DType::uint16;
  library_that_sorts().argsort({dtype, keys, plan.count / plan.length, plan.length, memory.get()},
                               positions);
}

// How keys of a row are made to fit above positions: the least key is subtracted and, if that does
// not suffice, lower bits are left out.
struct Packing {
  uint64_t least = 0;
  int dropped = 0;        // bits of a key
  int key_bits = 0;       // that are left
  int position_bits = 0;  // below the key

  uint64_t key(uint64_t word) const { return (word - least) >> dropped; }
  uint64_t pack(uint64_t word, int64_t position) const {
    return key(word) << position_bits | uint64_t(position);
  }
  uint64_t position_mask() const { return (uint64_t{1} << position_bits) - 1; }
};

template <class T>
Packing packing_of(const RowKeys<T>& keys, int64_t length) {
  uint64_t least = ~uint64_t{0}, greatest = 0;
  for (int64_t i = 0; i < length; ++i) {
    const uint64_t word = keys.word(i);
    least = std::min(least, word);
    greatest = std::max(greatest, word);
  }
  Packing packing{.least = least, .position_bits = int(std::bit_width(uint64_t(length - 1)))};
  packing.key_bits = std::min(int(std::bit_width(greatest - least)), 64 - packing.position_bits);
  packing.dropped = int(std::bit_width(greatest - least)) - packing.key_bits;
  return packing;
}

// Sorts distinct words by insertion, which takes few steps where each is near its place.
void insert_words(uint64_t* words, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const uint64_t word = words[i];
    if (word >= words[i - 1]) continue;
    int64_t place = i;
    do words[place] = words[place - 1];
    while (--place > 0 && word < words[place - 1]);
    words[place] = word;
  }
}

// Sorts words by their leading bits, about as many as tell them apart if they are spread evenly:
// counts the words that have the same of these, the digit, and puts each behind those of smaller
// digits. Digits that many words have are sorted in the same way by the bits that follow.
class WordSorter {
 public:
  // For rows of `length` elements.
  explicit WordSorter(int64_t length)
      : length_(length), ends_(new_memory<uint32_t>(int64_t{1} << digit_bits(length))) {}

  // Writes the packed keys of a row in order.
  template <class T>
  void sort_keys(const RowKeys<T>& keys, const Packing& packing, uint64_t* words) {
    const int shift = std::max(0, packing.key_bits - digit_bits(length_));
    uint32_t* const ends = static_cast<uint32_t*>(ends_->data());
    std::fill_n(ends, int64_t{1} << (packing.key_bits - shift), 0);
    for (int64_t i = 0; i < length_; ++i) ++ends[packing.key(keys.word(i)) >> shift];
    const bool is_even = sum_counts(ends, packing.key_bits - shift, length_);
    for (int64_t i = 0; i < length_; ++i) {
      const uint64_t word = keys.word(i);
      words[ends[packing.key(word) >> shift]++] = packing.pack(word, i);
    }
    if (shift > 0) finish(words, length_, {0, shift + packing.position_bits}, is_even, 0);
  }

 private:
  static constexpr int kDeepest = 3;  // digits of words that are sorted one after the other

  // What a digit is made of.
  struct Digit {
    uint64_t least;
    int shift;
    uint64_t of(uint64_t word) const { return (word - least) >> shift; }
  };

  // Returns the bits of a digit, of which there are as many as words, or twice as many where their
  // counts stay in the first cache. More words never have fewer bits, for which ends_ has memory.
  static int digit_bits(int64_t count) {
    constexpr int64_t kFew = 1 << 12;
    return int(std::bit_width(uint64_t(count))) + (count < kFew);
  }

  // Replaces the counts of all digits by how many words have smaller ones. Returns whether few
  // words have the same digit.
  static bool sum_counts(uint32_t* counts, int bits, int64_t words) {
    constexpr int64_t kMostPairs = 8;  // for each word
    int64_t squares = 0;
    uint32_t sum = 0;
    for (int64_t digit = 0; digit < int64_t{1} << bits; ++digit) {
      const uint32_t count = counts[digit];
      counts[digit] = sum;
      sum += count;
      squares += int64_t{count} * count;
    }
    return squares <= (2 * kMostPairs + 1) * words;
  }

  // Sorts distinct words, of which each is behind those of smaller digits.
  void finish(uint64_t* words, int64_t count, Digit digit, bool is_even, int depth) {
    if (is_even) return insert_words(words, count);
    for (int64_t begin = 0, end; begin < count; begin = end) {
      const uint64_t same = digit.of(words[begin]);
      for (end = begin + 1; end < count && digit.of(words[end]) == same; ++end) {
      }
      sort(words + begin, end - begin, depth + 1);
    }
  }

  void sort(uint64_t* words, int64_t count, int depth) {
    if (count <= kShortRow) return insert_words(words, count);
    uint64_t least = words[0], greatest = words[0];
    bool is_sorted = true;  // as equal keys are, whose positions follow
    for (int64_t i = 1; i < count; ++i) {
      is_sorted &= words[i - 1] < words[i];
      least = std::min(least, words[i]);
      greatest = std::max(greatest, words[i]);
    }
    if (is_sorted) return;
    if (depth == kDeepest) return std::sort(words, words + count);
    const int bits = digit_bits(count);
    const Digit digit{least, std::max(0, int(std::bit_width(greatest - least)) - bits)};
    uint32_t* const ends = static_cast<uint32_t*>(ends_->data());
    std::fill_n(ends, int64_t{1} << bits, 0);
    for (int64_t i = 0; i < count; ++i) ++ends[digit.of(words[i])];
    const bool is_even = sum_counts(ends, bits, count);
    if (copy_ == nullptr) copy_ = new_memory<uint64_t>(length_);
    auto* const copy = static_cast<uint64_t*>(copy_->data());
    std::copy_n(words, count, copy);
    for (int64_t i = 0; i < count; ++i) words[ends[digit.of(copy[i])]++] = copy[i];
    if (digit.shift > 0) finish(words, count, digit, is_even, depth);
  }

  int64_t length_;
  BufferPtr ends_;
  BufferPtr copy_;  // of words; null until it is needed
};

// Orders the positions of elements whose packed keys are the same, by what was left out of them.
template <class T>
void order_ties(const RowKeys<T>& keys, const Packing& packing, int64_t length, uint64_t* words) {
  const auto less = [&](uint64_t a, uint64_t b) {
    return key_less(keys(int64_t(a & packing.position_mask())),
                    keys(int64_t(b & packing.position_mask())));
  };
  for (int64_t begin = 0, end; begin < length; begin = end) {
    const uint64_t key = words[begin] >> packing.position_bits;
    for (end = begin + 1; end < length && words[end] >> packing.position_bits == key; ++end) {
    }
    if (end - begin > 1 && !std::is_sorted(words + begin, words + end, less))
      std::stable_sort(words + begin, words + end, less);
  }
}

// Writes the positions of sorted packed keys.
template <class T>
void unpack(const RowKeys<T>& keys, const Packing& packing, int64_t length, uint64_t* words) {
  if (packing.dropped > 0 || is_complex_v<T>) order_ties(keys, packing, length, words);
  for (int64_t i = 0; i < length; ++i) words[i] &= packing.position_mask();
}

// Sorts the packed keys of all rows by the library, in one call.
template <class T>
void argsort_by_library(const SortPlan& plan, uint64_t* words) {
  const auto packing = [&](int64_t row) { return packing_of(RowKeys<T>(plan, row), plan.length); };
  for (int64_t row = 0; row < plan.count; row += plan.length) {
    const RowKeys<T> keys(plan, row);
    const Packing packed = packing(row);
    for (int64_t i = 0; i < plan.length; ++i) words[row + i] = packed.pack(keys.word(i), i);
  }
  library_that_sorts().sort(
      {DType::uint64, words, plan.count / plan.length, plan.length, plan.target_buffer});
  for (int64_t row = 0; row < plan.count; row += plan.length)
    unpack(RowKeys<T>(plan, row), packing(row), plan.length, words + row);
}

template <class T>
void argsort_by_words(const SortPlan& plan, int64_t* positions) {
  auto* const words = reinterpret_cast<uint64_t*>(positions);
  // The library sorts short rows within registers, but takes a microsecond for a call.
  const bool are_short = plan.length <= 512 && plan.count >= 4 * plan.length;
  if (are_short || plan.length > kLongestDistributed) return argsort_by_library<T>(plan, words);
  WordSorter sorter(plan.length);
  for (int64_t row = 0; row < plan.count; row += plan.length) {
    const RowKeys<T> keys(plan, row);
    const Packing packing = packing_of(keys, plan.length);
    sorter.sort_keys(keys, packing, words + row);
    unpack(keys, packing, plan.length, words + row);
  }
}

}  // namespace

void argsort(const SortPlan& plan) {
  auto* const positions = static_cast<int64_t*>(plan.target);
  if (plan.kth != nullptr && !plan.descending && plan.dtype != DType::bfloat16 &&
      plan.dtype != DType::bool_) {
    const SortedRows rows{plan.dtype, const_cast<void*>(plan.source), plan.count / plan.length,
                          plan.length, plan.source_buffer};
    return library_that_sorts().argpartition(rows, *plan.kth, positions);
  }
  visit_dtype(plan.dtype, [&]<class T>() {
    if (plan.length <= kShortRow) {
      for (int64_t row = 0; row < plan.count; row += plan.length)
        insert_positions(RowKeys<T>(plan, row), plan.length, positions + row);
    } else if constexpr (sizeof(T) <= 2) {
      argsort_by_radix<T>(plan, positions);
    } else {
      argsort_by_words<T>(plan, positions);
    }
  });
}

}  // namespace gpuarray::host
