// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "cub/sort.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace {

using gpuarray::cub::Key;
using gpuarray::cub::Sort;
using gpuarray::cub::Value;

template <class T>
cub::DoubleBuffer<T> pair(void* const (&buffers)[2]) {
  return {static_cast<T*>(buffers[0]), static_cast<T*>(buffers[1])};
}

template <class K>
cudaError_t sort_keys(Sort& sort) {
  const auto stream = static_cast<cudaStream_t>(sort.stream);
  cub::DoubleBuffer<K> keys = pair<K>(sort.keys);
  const cudaError_t status =
      sort.source != nullptr
          ? cub::DeviceRadixSort::SortKeys(sort.temporary, sort.temporary_bytes,
                                           static_cast<const K*>(sort.source), keys.Current(),
                                           sort.count, sort.begin_bit, sort.end_bit, stream)
          : cub::DeviceRadixSort::SortKeys(sort.temporary, sort.temporary_bytes, keys, sort.count,
                                           sort.begin_bit, sort.end_bit, stream);
  sort.selected = keys.selector;
  return status;
}

template <class V>
cudaError_t sort_pairs(Sort& sort) {
  cub::DoubleBuffer<uint64_t> keys = pair<uint64_t>(sort.keys);
  cub::DoubleBuffer<V> values = pair<V>(sort.values);
  const cudaError_t status = cub::DeviceRadixSort::SortPairs(
      sort.temporary, sort.temporary_bytes, keys, values, sort.count, sort.begin_bit, sort.end_bit,
      static_cast<cudaStream_t>(sort.stream));
  sort.selected = keys.selector;
  return status;
}

}  // namespace

// Only a few key and value types are instantiated, because each template takes a second to compile
// for an architecture. Where they fit, a key, its row and its index are packed into one word of 64
// bits.
extern "C" __attribute__((visibility("default"))) int gpuarray_cub_sort(Sort* sort) {
  if (sort->value == Value::uint32) return sort_pairs<uint32_t>(*sort);
  if (sort->value == Value::uint64) return sort_pairs<uint64_t>(*sort);
  switch (sort->key) {
    case Key::uint32:
      return sort_keys<uint32_t>(*sort);
    case Key::int32:
      return sort_keys<int32_t>(*sort);
    case Key::int64:
      return sort_keys<int64_t>(*sort);
    case Key::float32:
      return sort_keys<float>(*sort);
    case Key::float64:
      return sort_keys<double>(*sort);
    default:
      return sort_keys<uint64_t>(*sort);
  }
}
