// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cassert>
#include <cstring>

#include "backend/host/host.hpp"
#include "backend/visit.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"
#include "kernels/sort/sort_key.cuh"

namespace gpuarray::host {
namespace {

constexpr int64_t kShortRow = 16;  // elements that are sorted by insertion, without the library

SortLibrary sort_library;

// Copies the elements; bools become 0 or 1.
void copy_elements(const SortPlan& plan) {
  if (plan.dtype != DType::bool_) {
    std::memcpy(plan.target, plan.source, static_cast<size_t>(plan.count * itemsize(plan.dtype)));
    return;
  }
  const auto* const source = static_cast<const uint8_t*>(plan.source);
  auto* const target = static_cast<uint8_t*>(plan.target);
  for (int64_t i = 0; i < plan.count; ++i) target[i] = source[i] != 0;
}

// Returns the rows of the target as what the library sorts.
SortedRows rows_of(const SortPlan& plan, DType dtype, void* keys) {
  return {dtype, keys, plan.count / plan.length, plan.length, plan.target_buffer};
}

// Sorts 16-bit floats in the target by the library, as integers in whose order the floats are, NaNs
// last: by radix that is ten times as fast, and NumPy 2.4 misplaces float16 beside infinities where
// it sorts by AVX-512.
template <class T>
void sort_halves(const SortPlan& plan) {
  auto* const keys = static_cast<int16_t*>(plan.target);
  const auto reverse_negative = [&] {
    for (int64_t i = 0; i < plan.count; ++i)
      keys[i] = static_cast<int16_t>(keys[i] ^ (keys[i] >> 15 & 0x7fff));
  };
  for (int64_t i = 0; i < plan.count; ++i)
    if ((keys[i] & 0x7fff) > FloatLayout<T>::infinity) keys[i] = 0x7fff;
  reverse_negative();
  sort_library.sort(rows_of(plan, DType::int16, keys));
  reverse_negative();
}

// Writes the elements of rows in order, each behind those that equal it.
template <class T>
void insert_rows(const SortPlan& plan) {
  auto* const target = static_cast<stored_t<T>*>(plan.target);
  for (int64_t row = 0; row < plan.count; row += plan.length)
    for (int64_t i = row + 1; i < row + plan.length; ++i) {
      const stored_t<T> value = target[i];
      const auto key = search_key(T(value));
      int64_t place = i;
      for (; place > row && key_less(key, search_key(T(target[place - 1]))); --place)
        target[place] = target[place - 1];
      target[place] = value;
    }
}

// Returns whether a partition by the library might lose elements: NaNs, and zeros of either sign,
// as restore_equals() says. Does not look for zeros that have no negative ones among them.
template <class T>
bool has_equals(const SortPlan& plan) {
  using Bits = unsigned_t<T>;
  const auto* const source = static_cast<const T*>(plan.source);
  bool found = false;
  for (int64_t i = 0; i < plan.count; ++i) {
    const Bits bits = __builtin_bit_cast(Bits, source[i]);
    const Bits magnitude = Bits(bits & Bits(sign_bit<Bits> - 1));
    found |= (bits == sign_bit<Bits>) | (magnitude > FloatLayout<T>::infinity);
  }
  return found;
}

bool can_be_partitioned(const SortPlan& plan) {
  if (plan.kth == nullptr || plan.descending || plan.dtype == DType::bfloat16) return false;
  return visit_dtype(plan.dtype, [&]<class T>() {
    if constexpr (is_float_v<T>)
      return !has_equals<T>(plan);
    else
      return true;
  });
}

// Writes the NaNs and zeros of a row to their places. Most elements are neither, so that blocks of
// them are looked at by vectors.
template <class T>
void restore_row(const T* source, int64_t length, T* nan, T* zero) {
  using Bits = unsigned_t<T>;
  constexpr int64_t kBlock = 64;
  const auto magnitude = [](T value) {
    return Bits(__builtin_bit_cast(Bits, value) & Bits(sign_bit<Bits> - 1));
  };
  for (int64_t begin = 0; begin < length; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, length);
    bool found = false;
    for (int64_t i = begin; i < end; ++i)
      found |= (magnitude(source[i]) == 0) | (magnitude(source[i]) > FloatLayout<T>::infinity);
    for (int64_t i = begin; found && i < end; ++i) {
      if (magnitude(source[i]) > FloatLayout<T>::infinity)
        *nan++ = source[i];
      else if (magnitude(source[i]) == 0)
        *zero++ = source[i];
    }
  }
}

// Puts the NaNs and zeros of the source into their places, in the order that they had. The library
// may have written NaNs with other bits and zeros of another sign, which compare as equal.
template <class T>
void restore_equals(const SortPlan& plan) {
  const auto number = [](T value) { return cast<compute_t<T>>(value); };
  const auto* source = static_cast<const T*>(plan.source);
  auto* target = static_cast<T*>(plan.target);
  for (int64_t row = 0; row < plan.count; row += plan.length) {
    T* const first = target + row;
    T* const end = first + plan.length;
    T* nan = std::partition_point(first, end, [&](T value) { return !math::isnan(value); });
    T* zero = std::partition_point(first, nan, [&](T value) { return number(value) < 0; });
    if (nan == end && (zero == nan || number(*zero) > 0)) continue;
    restore_row(source + row, plan.length, nan, zero);
  }
}

// Returns whether an element begins a run, as NumPy's unique compares elements.
template <class T>
bool begins_run(T value, T before, bool equal_nan) {
  const bool is_number = math::equal(value, value);
  return is_number ? !math::equal(value, before) : !equal_nan || math::equal(before, before);
}

}  // namespace

void set_sort_library(const SortLibrary& library) { sort_library = library; }

const SortLibrary& library_that_sorts() { return sort_library; }

void sort(const SortPlan& plan) {
  assert(sort_library.sort != nullptr);
  copy_elements(plan);
  if (can_be_partitioned(plan))
    return sort_library.partition(rows_of(plan, plan.dtype, plan.target), *plan.kth);
  const bool is_short = plan.length <= kShortRow;
  visit_dtype(plan.dtype, [&]<class T>() {
    if (is_short)
      insert_rows<T>(plan);
    else if constexpr (is_float_v<T> && sizeof(T) == 2)
      sort_halves<T>(plan);
    else
      sort_library.sort(rows_of(plan, plan.dtype, plan.target));
    if constexpr (is_float_v<T>)
      if (!is_short) restore_equals<T>(plan);
    if (!plan.descending) return;
    auto* const target = static_cast<stored_t<T>*>(plan.target);
    for (int64_t row = 0; row < plan.count; row += plan.length)
      std::reverse(target + row, target + row + plan.length);
  });
}

void count_runs(const RunsPlan& plan) {
  visit_dtype(plan.dtype, [&]<class T>() {
    using C = compute_t<T>;
    const auto* const sorted = static_cast<const stored_t<T>*>(plan.sorted);
    plan.firsts[0] = true;
    for (int64_t i = 1; i < plan.size; ++i)
      plan.firsts[i] = begins_run(cast<C>(sorted[i]), cast<C>(sorted[i - 1]), plan.equal_nan);
  });
  count_true(plan.firsts, plan.size, plan.found);
}

}  // namespace gpuarray::host
