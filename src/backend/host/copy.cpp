// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/copy.hpp"

#include <algorithm>
#include <cstring>

namespace gpuarray::host {
namespace {

struct Word16 {
  uint64_t words[2];
};

template <class Word>
void copy_words(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count) {
  auto* target = reinterpret_cast<Word*>(to);
  const auto* source = reinterpret_cast<const Word*>(from);
  if (from_step == 0 && to_step == 1) {
    std::fill_n(target, count, *source);
  } else if (to_step == 1) {
    for (int64_t i = 0; i < count; ++i) target[i] = source[i * from_step];
  } else if (from_step == 1) {
    for (int64_t i = 0; i < count; ++i) target[i * to_step] = source[i];
  } else {
    for (int64_t i = 0; i < count; ++i) target[i * to_step] = source[i * from_step];
  }
}

}  // namespace

void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count,
                   int itemsize) {
  if (to_step == 1 && from_step == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * itemsize));
    return;
  }
  switch (itemsize) {
    case 1:
      return copy_words<uint8_t>(to, to_step, from, from_step, count);
    case 2:
      return copy_words<uint16_t>(to, to_step, from, from_step, count);
    case 4:
      return copy_words<uint32_t>(to, to_step, from, from_step, count);
    case 8:
      return copy_words<uint64_t>(to, to_step, from, from_step, count);
    default:
      return copy_words<Word16>(to, to_step, from, from_step, count);
  }
}

}  // namespace gpuarray::host
