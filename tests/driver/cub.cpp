// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands in for the library _cub (GPUARRAY_LIBCUB): does the same sort on the host.
#include "../../src/cub/sort.hpp"

#include <algorithm>
#include <numeric>

#include "call.hpp"
#include "capture.hpp"
#include "memory.hpp"

using namespace model;
using gpuarray::cub::Key;
using gpuarray::cub::Sort;
using gpuarray::cub::Value;

namespace {

// Returns the key as an unsigned integer that has CUB's order of the keys.
template <class K>
K ordered(Key kind, K key) {
  constexpr K sign = K{1} << (8 * sizeof(K) - 1);
  if (kind == Key::int32 || kind == Key::int64) return key ^ sign;
  if (kind != Key::float32 && kind != Key::float64) return key;
  const K bits = key == sign ? 0 : key;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

template <class K, class V>
void sort_pairs(const Sort& sort) {
  const auto* keys = static_cast<const K*>(sort.source != nullptr ? sort.source : sort.keys[0]);
  const int chosen = sort.selected;
  std::vector<size_t> order(static_cast<size_t>(sort.count));
  std::iota(order.begin(), order.end(), size_t{0});
  const int bits = sort.end_bit - sort.begin_bit;
  const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
  std::ranges::stable_sort(order, {}, [&](size_t at) {
    return uint64_t{ordered(sort.key, keys[at])} >> sort.begin_bit & mask;
  });
  std::vector<K> sorted(order.size());
  std::ranges::transform(order, sorted.begin(), [&](size_t at) { return keys[at]; });
  if (sort.value != Value::none) {
    const auto* values = static_cast<const V*>(sort.values[0]);
    std::vector<V> moved(order.size());
    std::ranges::transform(order, moved.begin(), [&](size_t at) { return values[at]; });
    std::ranges::copy(moved, static_cast<V*>(sort.values[chosen]));
    if (chosen != 0) std::fill_n(static_cast<V*>(sort.values[0]), order.size(), V(-1));
  }
  std::ranges::copy(sorted, static_cast<K*>(sort.keys[chosen]));
  if (chosen != 0) std::fill_n(static_cast<K*>(sort.keys[0]), order.size(), K(-1));
}

bool is_narrow(Key key) { return key == Key::uint32 || key == Key::int32 || key == Key::float32; }

Status run(const Sort& sort) {
  Window open;
  if (sort.value == Value::uint32)
    sort_pairs<uint64_t, uint32_t>(sort);
  else if (is_narrow(sort.key))
    sort_pairs<uint32_t, uint32_t>(sort);
  else
    sort_pairs<uint64_t, uint64_t>(sort);
  return kSuccess;
}

Status queue(Call& call, Sort& sort) {
  const StreamPtr stream = find_stream(reinterpret_cast<Handle>(sort.stream));
  if (stream == nullptr || stream->device != call.device) return kInvalidHandle;
  if (stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  // CUB leaves the result in either buffer; here the number of passes of 8 bits decides.
  const int passes = (sort.end_bit - sort.begin_bit + 7) / 8;
  sort.selected = sort.source != nullptr ? 0 : passes % 2;
  enqueue(call.held, stream, Kind::kernel, [sort] { return run(sort); });
  return kSuccess;
}

}  // namespace

MODEL(cubSort, (Sort * sort), ENTER; return queue(call, *sort))

extern "C" __attribute__((visibility("default"))) int gpuarray_cub_sort(Sort* sort) {
  if (sort->temporary != nullptr)
    return mode() == Mode::fast ? fast_failure("cubSort") : cubSort(sort);
  sort->temporary_bytes = 256;
  return kSuccess;
}
