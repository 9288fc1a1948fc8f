// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What the library _cub exports: a stable radix sort by CUB. No more than C, as it is loaded at
// first use.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpuarray::cub {

enum class Key : int { uint32, uint64, int32, int64, float32, float64 };
enum class Value : int { none, uint32, uint64 };  // beside keys of uint64

// Puts keys in ascending order of their bits [begin_bit, end_bit), values along with them. Floats
// as CUB orders them: NaN with the sign bit first, -0.0 as 0.0, NaN without it last.
struct Sort {
  Key key = Key::uint64;
  Value value = Value::none;
  int64_t count = 0;
  int begin_bit = 0;
  int end_bit = 64;
  const void* source = nullptr;  // keys alone, into keys[0]; null: as the following say
  void* keys[2] = {};            // what is sorted, and as much memory; both are overwritten
  void* values[2] = {};          // the same
  int selected = 0;              // written: which of each pair holds the result
  void* temporary = nullptr;     // null: nothing is sorted, but the following is written
  size_t temporary_bytes = 0;
  void* stream = nullptr;  // CUstream
};

// Queues the sort on the stream, in the current context. Returns the status of the CUDA runtime,
// whose numbers are the driver's.
using SortFunction = int(Sort* sort);

inline constexpr const char* kSortSymbol = "gpuarray_cub_sort";

}  // namespace gpuarray::cub

extern "C" gpuarray::cub::SortFunction gpuarray_cub_sort;
