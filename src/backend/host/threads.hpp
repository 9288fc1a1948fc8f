// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/divide.hpp"

// The threads of the cpu device. Work is cut into pieces by its size alone, so that its result does
// not depend on how many threads there are.
namespace gpuarray::host {

// Returns the number of threads that an operation may use: GPUARRAY_NUM_THREADS, else the cores
// that this process may use by its affinity and its control group, at most OMP_NUM_THREADS; under
// pytest-xdist its workers share them. Throws ValueError if a variable is not a positive number.
int thread_count();

// Calls run(context, piece) for each piece in [0, pieces), on the calling thread and on as many
// others as are idle, and returns when all are done. Others are called only while fewer threads
// than thread_count() compute, whoever called them; a call within a piece runs on its thread alone.
// Throws what the first piece that failed threw.
void run_pieces(int64_t pieces, void (*run)(void* context, int64_t piece), void* context);

// Returns how many items of `bytes` bytes each are a piece of `size` of them: all of them where
// other threads would take longer to wake than to help, else a multiple of `multiple`.
inline int64_t elements_of_piece(int64_t size, int64_t bytes, int64_t multiple = 512) {
  constexpr int64_t kWorthIt = int64_t{1} << 21, kPiece = int64_t{1} << 18;  // bytes
  if (size <= kWorthIt / bytes) return size;
  return round_up(divide_up(kPiece, bytes), multiple);
}

// Calls body(begin, end) for pieces of [0, size), each of `grain` items or less.
template <class Body>
void parallel_for(int64_t size, int64_t grain, Body&& body) {
  if (size <= grain) {
    if (size > 0) body(int64_t{0}, size);
    return;
  }
  struct Work {
    Body& body;
    int64_t size, grain;
  } work{body, size, grain};
  run_pieces(
      divide_up(size, grain),
      [](void* context, int64_t piece) {
        Work& work = *static_cast<Work*>(context);
        const int64_t begin = piece * work.grain;
        work.body(begin, std::min(begin + work.grain, work.size));
      },
      &work);
}

}  // namespace gpuarray::host
