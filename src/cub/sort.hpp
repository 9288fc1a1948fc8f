// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// The interface of the library _cub: a stable radix sort by CUB. It is plain C, because the library
// is loaded by dlopen at first use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuarray::cub {

enum class Key : int { uint32, uint64, int32, int64, float32, float64 };
// The values that are moved along with keys; only keys of uint64 have any.
enum class Value : int { none, uint32, uint64 };

// Describes a sort of keys in ascending order of their bits [begin_bit, end_bit), with values moved
// along. Floats are ordered as CUB does: NaN with the sign bit first, -0.0 as 0.0, NaN without it
// last.
struct Sort {
  Key key = Key::uint64;
  Value value = Value::none;
  int64_t count = 0;
  int begin_bit = 0;
  int end_bit = 64;
  // Keys to sort into keys[0], for a sort without values; null: keys[0] itself is sorted.
  const void* source = nullptr;
  void* keys[2] = {};         // the keys and as much memory beside them; both are overwritten
  void* values[2] = {};       // the values and as much memory beside them, as for keys
  int selected = 0;           // written by the call: which of each pair holds the result
  void* temporary = nullptr;  // null: nothing is sorted, and only temporary_bytes is written
  size_t temporary_bytes = 0;
  void* stream = nullptr;  // CUstream
};

// Queues the sort on `stream` in the current context; the memory must live until it is done.
// Returns the status of the CUDA runtime, whose numbers are the driver's.
using SortFunction = int(Sort* sort);

// The name of the function that the library exports.
inline constexpr const char* kSortSymbol = "gpuarray_cub_sort";

}  // namespace gpuarray::cub

extern "C" gpuarray::cub::SortFunction gpuarray_cub_sort;
