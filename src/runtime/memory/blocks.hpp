// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// What a segment is for: many blocks of up to 1 MiB, several of up to 10 MiB, or one larger one.
enum class SegmentKind : uint8_t { small, medium, whole };
inline constexpr int kSegmentKinds = 3;

// A part of a segment of memory; the parts of a segment are linked in the order of addresses.
struct Block {
  void* data = nullptr;
  int64_t nbytes = 0;
  // Free blocks may be used on this stream without waiting.
  const Stream* stream = nullptr;
  Block* before = nullptr;
  Block* after = nullptr;
  Block* previous_free = nullptr;
  Block* next_free = nullptr;
  bool free = false;
  SegmentKind kind = SegmentKind::small;

  bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

// The free blocks of one stream, by size; adding and removing one takes constant time.
class FreeBlocks {
 public:
  void add(Block& block);
  void remove(Block& block);
  // The smallest of at least `nbytes`, null if there is none.
  Block* best(int64_t nbytes) const;
  int64_t count() const { return count_; }

  template <class Function>
  void for_each(Function&& function) const {
    for (Block* first : bins_)
      for (Block* block = first; block != nullptr;) {
        Block* next = block->next_free;  // `function` may remove the block
        function(*block);
        block = next;
      }
  }

 private:
  static constexpr int kBins = 448;  // eight a power of two
  static int bin_of(int64_t nbytes);
  int next_filled(int bin) const;

  Block* bins_[kBins] = {};
  uint64_t filled_[kBins / 64] = {};  // a bit a bin
  int64_t count_ = 0;
};

}  // namespace gpuarray
