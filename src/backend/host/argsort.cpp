// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Positions that sort, in which equal elements keep their order. Words that hold a key above a
// position are sorted as integers, which takes half the time of sorting positions by their keys:
// by one pass over their leading bits where these are spread evenly, else by the library.
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

// Writes the packed keys in order, if few of them have the same leading bits, or none has others:
// counts the keys by these bits, puts each behind those that come before, and inserts it among
// those with the same bits. `ends` has an element for every value of bit_width(length) bits.
// Returns whether the keys were written.
template <class T>
bool distribute(const RowKeys<T>& keys, const Packing& packing, int64_t length, uint32_t* ends,
                uint64_t* words) {
  constexpr int64_t kMostPairs = 8;  // of elements with the same leading bits, for each element
  const int digit_bits = std::min(int(std::bit_width(uint64_t(length))), packing.key_bits);
  const int shift = packing.key_bits - digit_bits;
  const int64_t digits = int64_t{1} << digit_bits;
  std::fill_n(ends, digits, 0);
  for (int64_t i = 0; i < length; ++i) ++ends[packing.key(keys.word(i)) >> shift];
  int64_t pairs = 0;
  uint32_t end = 0;
  for (int64_t digit = 0; digit < digits; ++digit) {
    const uint32_t count = ends[digit];
    ends[digit] = end;
    end += count;
    pairs += int64_t{count} * count;
  }
  if (shift > 0 && pairs > (2 * kMostPairs + 1) * length) return false;
  for (int64_t i = 0; i < length; ++i) {
    const uint64_t word = keys.word(i);
    words[ends[packing.key(word) >> shift]++] = packing.pack(word, i);
  }
  for (int64_t i = 1; shift > 0 && i < length; ++i) {
    const uint64_t word = words[i];
    if (word >= words[i - 1]) continue;
    int64_t place = i;
    do words[place] = words[place - 1];
    while (--place > 0 && word < words[place - 1]);
    words[place] = word;
  }
  return true;
}

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

// Sorts the packed keys of each row from `begin` to `end` by the library, in one call.
template <class T>
void argsort_by_library(const SortPlan& plan, int64_t begin, int64_t end, uint64_t* words) {
  if (begin == end) return;
  const auto packing = [&](int64_t row) { return packing_of(RowKeys<T>(plan, row), plan.length); };
  for (int64_t row = begin; row < end; row += plan.length) {
    const RowKeys<T> keys(plan, row);
    const Packing packed = packing(row);
    for (int64_t i = 0; i < plan.length; ++i) words[row + i] = packed.pack(keys.word(i), i);
  }
  library_that_sorts().sort(
      {DType::uint64, words + begin, (end - begin) / plan.length, plan.length, plan.target_buffer});
  for (int64_t row = begin; row < end; row += plan.length)
    unpack(RowKeys<T>(plan, row), packing(row), plan.length, words + row);
}

template <class T>
void argsort_by_words(const SortPlan& plan, int64_t* positions) {
  auto* const words = reinterpret_cast<uint64_t*>(positions);
  int64_t sorted = 0;  // elements whose rows are done
  if (plan.length <= kLongestDistributed) {
    const BufferPtr memory =
        new_memory<uint32_t>(int64_t{1} << std::bit_width(uint64_t(plan.length)));
    auto* const ends = static_cast<uint32_t*>(memory->data());
    // Rows are mostly alike: the first that is not distributed leaves the others to the library.
    for (; sorted < plan.count; sorted += plan.length) {
      const RowKeys<T> keys(plan, sorted);
      const Packing packing = packing_of(keys, plan.length);
      if (!distribute(keys, packing, plan.length, ends, words + sorted)) break;
      unpack(keys, packing, plan.length, words + sorted);
    }
  }
  argsort_by_library<T>(plan, sorted, plan.count, words);
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
