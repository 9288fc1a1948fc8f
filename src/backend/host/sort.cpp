// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cassert>
#include <memory>

#include "backend/host/host.hpp"
#include "backend/visit.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"

namespace gpuarray::host {
namespace {

SortLibrary sort_library;

// Returns the dtype as which the library sorts elements of `dtype`.
DType key_dtype(DType dtype) { return dtype == DType::bfloat16 ? DType::float32 : dtype; }

// Converts elements one after the other. Bools become 0 or 1, which a cast to bool, being a copy,
// would not make of their bytes.
void convert(DType from, const void* source, DType to, void* target, int64_t count) {
  if (to == DType::bool_) to = DType::uint8;
  char* const data[] = {static_cast<char*>(target), static_cast<char*>(const_cast<void*>(source))};
  const int64_t steps[] = {1, 1};
  cast_loop(from, to)(data, steps, count);
}

std::unique_ptr<char[]> keys_of(const SortPlan& plan) {
  const DType dtype = key_dtype(plan.dtype);
  auto keys =
      std::make_unique_for_overwrite<char[]>(static_cast<size_t>(plan.count * itemsize(dtype)));
  convert(plan.dtype, plan.source, dtype, keys.get(), plan.count);
  return keys;
}

SortedRows rows_of(const SortPlan& plan, const void* keys) {
  return {key_dtype(plan.dtype), const_cast<void*>(keys), plan.count / plan.length, plan.length,
          false};
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
    for (int64_t i = row; i < row + plan.length; ++i) {
      if (math::isnan(source[i]))
        *nan++ = source[i];
      else if (number(source[i]) == 0)
        *zero++ = source[i];
    }
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

void sort(const SortPlan& plan) {
  assert(sort_library.sort != nullptr);
  if (key_dtype(plan.dtype) == plan.dtype) {
    convert(plan.dtype, plan.source, plan.dtype, plan.target, plan.count);
    sort_library.sort(rows_of(plan, plan.target));
  } else {
    const auto keys = keys_of(plan);
    const SortedRows rows = rows_of(plan, keys.get());
    sort_library.sort(rows);
    convert(rows.dtype, keys.get(), plan.dtype, plan.target, plan.count);
  }
  visit_dtype(plan.dtype, [&]<class T>() {
    if constexpr (is_float_v<T>) restore_equals<T>(plan);
    if (!plan.descending) return;
    auto* const target = static_cast<stored_t<T>*>(plan.target);
    for (int64_t row = 0; row < plan.count; row += plan.length)
      std::reverse(target + row, target + row + plan.length);
  });
}

void argsort(const SortPlan& plan) {
  assert(sort_library.argsort != nullptr);
  const bool converts = key_dtype(plan.dtype) != plan.dtype || plan.dtype == DType::bool_;
  const auto keys = converts ? keys_of(plan) : nullptr;
  SortedRows rows = rows_of(plan, converts ? keys.get() : plan.source);
  rows.backwards = plan.descending;
  auto* const positions = static_cast<int64_t*>(plan.target);
  sort_library.argsort(rows, plan.stable, positions);
  if (!plan.descending) return;
  // The keys were read backwards; reversing the positions, too, keeps the order of equal elements.
  for (int64_t row = 0; row < plan.count; row += plan.length) {
    std::reverse(positions + row, positions + row + plan.length);
    for (int64_t i = row; i < row + plan.length; ++i) positions[i] = plan.length - 1 - positions[i];
  }
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
