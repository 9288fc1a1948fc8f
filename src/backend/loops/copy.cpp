// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/loops/copy.hpp"
#include "backend/loops/loops.hpp"
#include "kernels/element/element.cuh"

namespace gpuarray::loops {
namespace {

template <class Word, int64_t step>
void gather_steps(Word* to, const Word* from, int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
}

template <class Word, int64_t step>
void scatter_steps(Word* to, const Word* from, int64_t count) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) to[i * step] = from[i];
}

// The most used steps are constants, of which compilers make shuffles of vectors.
template <class Word>
void copy_words(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count) {
  auto* target = reinterpret_cast<Word*>(to);
  const auto* source = reinterpret_cast<const Word*>(from);
  if (to_step == 1 && from_step == 1) {
    copy_bytes(to, from, count * static_cast<int64_t>(sizeof(Word)));
  } else if (from_step == 0 && to_step == 1) {
    const Word word = *source;
    for (int64_t i = 0; i < count; ++i) target[i] = word;
  } else if (to_step == 1 && from_step == 2) {
    gather_steps<Word, 2>(target, source, count);
  } else if (to_step == 1 && from_step == -1) {
    gather_steps<Word, -1>(target, source, count);
  } else if (from_step == 1 && to_step == -1) {
    scatter_steps<Word, -1>(target, source, count);
  } else {
    for (int64_t i = 0; i < count; ++i, target += to_step, source += from_step) *target = *source;
  }
}

}  // namespace

void add_copies(Loops& loops) {
  loops.copies[0] = copy_words<uint8_t>;
  loops.copies[1] = copy_words<uint16_t>;
  loops.copies[2] = copy_words<uint32_t>;
  loops.copies[3] = copy_words<uint64_t>;
  loops.copies[4] = copy_words<complex<double>>;
}

}  // namespace gpuarray::loops
