// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "backend/host/host.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/indexing/select_params.hpp"

namespace gpuarray::host {
namespace {

constexpr uint32_t kAllTrue = (1u << kFlagBits) - 1;

// Returns a bit for each of kFlagBits bytes, set if it is not 0; the lowest bit is that of the
// first.
uint32_t flags_of(const void* bytes) {
#if defined(__SSE2__)
  const __m128i word = _mm_loadu_si128(static_cast<const __m128i*>(bytes));
  return kAllTrue ^ uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(word, _mm_setzero_si128())));
#else
  uint32_t flags = 0;
  for (int half = 0; half < 2; ++half) {
    uint64_t word;
    std::memcpy(&word, static_cast<const char*>(bytes) + 8 * half, sizeof word);
    constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    const uint64_t nonzero = (((word & kLow) + kLow) | word) >> 7 & 0x0101010101010101;
    flags |= static_cast<uint32_t>(nonzero * 0x0102040810204080 >> 56) << (8 * half);
  }
  return flags;
#endif
}

// Returns how many bits of a tile's words are set, by adding up neighbouring fields of bits, which
// compilers do for several words at once.
int64_t count_flags(const uint16_t* flags) {
  uint32_t total = 0;
  for (int k = 0; k < kSelectFlags; ++k) {
    uint32_t word = flags[k];
    word -= word >> 1 & 0x5555;
    word = (word & 0x3333) + (word >> 2 & 0x3333);
    word = (word + (word >> 4)) & 0x0f0f;
    total += (word + (word >> 8)) & 0x1f;
  }
  return total;
}

// Calls visit(word, begin) for each word of flags that is not 0; its first bit is that of element
// `begin`.
template <class Visit>
void for_each_word(const uint16_t* flags, int64_t size, Visit&& visit) {
  for (int64_t begin = 0; begin < size; begin += kFlagBits)
    if (const uint32_t word = flags[begin / kFlagBits]; word != 0) visit(word, begin);
}

// Calls visit(i) for each element whose bit in `word` is set.
template <class Visit>
void for_each_true(uint32_t word, int64_t begin, Visit&& visit) {
  for (; word != 0; word &= word - 1) visit(begin + std::countr_zero(word));
}

// Writes value(i), for each element whose flag is set, to `target`, which has room for `count`. All
// values of a word are written while there is room, each over the one before if that was not meant,
// so that no branch depends on a single flag.
template <class T, class Value>
void pack(const uint16_t* flags, int64_t size, int64_t count, T* target, Value&& value) {
  T* const end = target + count;
  for_each_word(flags, size, [&](uint32_t word, int64_t begin) {
    const bool has_room = end - target > kFlagBits && size - begin >= kFlagBits;
    if (!has_room || std::has_single_bit(word))
      return for_each_true(word, begin, [&](int64_t i) { *target++ = value(i); });
    if (word == kAllTrue) {
      for (int k = 0; k < kFlagBits; ++k) target[k] = value(begin + k);
      target += kFlagBits;
      return;
    }
    for (int k = 0; k < kFlagBits; ++k) {
      *target = value(begin + k);
      target += word >> k & 1;
    }
  });
}

// An element of which only the size matters.
template <size_t kSize>
struct Element {
  char bytes[kSize];
};

template <size_t kSize>
void unpack(const SelectPlan& plan) {
  auto* const array = static_cast<Element<kSize>*>(plan.array);
  const auto* packed = static_cast<const Element<kSize>*>(plan.packed);
  for_each_word(plan.found.flags, plan.size, [&](uint32_t word, int64_t begin) {
    if (word != kAllTrue)
      return for_each_true(word, begin, [&](int64_t i) { array[i] = *packed++; });
    std::copy_n(packed, kFlagBits, array + begin);
    packed += kFlagBits;
  });
}

}  // namespace

void count_true(const bool* mask, int64_t size, const MaskFlags& found) {
  int64_t count = 0;
  for (int64_t tile = 0; tile * kSelectTile < size; ++tile) {
    uint16_t* const flags = found.flags + tile * kSelectFlags;
    const bool* const bytes = mask + tile * kSelectTile;
    const int64_t left = std::min<int64_t>(size - tile * kSelectTile, kSelectTile);
    const int64_t words = left / kFlagBits;
    for (int64_t k = 0; k < words; ++k)
      flags[k] = static_cast<uint16_t>(flags_of(bytes + k * kFlagBits));
    std::fill(flags + words, flags + kSelectFlags, uint16_t{0});
    if (left % kFlagBits != 0) {
      char rest[kFlagBits] = {};
      std::memcpy(rest, bytes + words * kFlagBits, static_cast<size_t>(left % kFlagBits));
      flags[words] = static_cast<uint16_t>(flags_of(rest));
    }
    count += count_flags(flags);
    found.sums[tile] = count;
  }
}

void select(const SelectPlan& plan, bool spreads) {
  const int64_t count = plan.found.sums[mask_tiles(plan.size) - 1];
  visit_dtype(plan.dtype, [&]<class T>() {
    using Bytes = Element<sizeof(T)>;
    if (spreads) return unpack<sizeof(T)>(plan);
    const auto* const array = static_cast<const Bytes*>(plan.array);
    pack(plan.found.flags, plan.size, count, static_cast<Bytes*>(plan.packed),
         [=](int64_t i) { return array[i]; });
  });
}

void nonzero(const NonzeroPlan& plan) {
  const int last = plan.shape.size() - 1;
  if (last < 0) return;
  const int64_t size = element_count(plan.shape), length = plan.shape[last];
  if (last == 0)
    return pack(plan.found.flags, size, plan.count, plan.indices, [](int64_t i) { return i; });
  Shape outer(last, 0);  // the index of the row that holds element `begin`
  int64_t begin = 0;
  int64_t* target = plan.indices;
  const auto visit = [&](int64_t i) {
    if (i - begin >= length) {
      int64_t rest = i / length;
      begin = rest * length;
      for (int axis = last - 1; axis >= 0; --axis) {
        outer[axis] = rest % plan.shape[axis];
        rest /= plan.shape[axis];
      }
    }
    for (int axis = 0; axis < last; ++axis) target[axis * plan.count] = outer[axis];
    target[last * plan.count] = i - begin;
    ++target;
  };
  for_each_word(plan.found.flags, size,
                [&](uint32_t word, int64_t first) { for_each_true(word, first, visit); });
}

}  // namespace gpuarray::host
