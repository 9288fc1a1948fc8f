// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The kinds of segments: `small` ones are cut into blocks of up to 1 MiB, `medium` ones into blocks
// of up to 10 MiB, and a `whole` one is a single larger block.
enum class SegmentKind : uint8_t { small, medium, whole };
inline constexpr int kSegmentKinds = 3;

// A block of memory, which is a part of a segment. The blocks of a segment are linked in the order
// of their addresses.
struct Block {
  void* data = nullptr;
  int64_t nbytes = 0;
  // The stream that may use a free block without waiting.
  const Stream* stream = nullptr;
  Block* before = nullptr;
  Block* after = nullptr;
  Block* previous_free = nullptr;
  Block* next_free = nullptr;
  bool free = false;
  SegmentKind kind = SegmentKind::small;

  bool is_whole_segment() const { return before == nullptr && after == nullptr; }
};

// The free blocks of one stream and kind, in bins by size. Adding and removing a block takes
// constant time. The blocks belong to the caller; not thread-safe.
class FreeBlocks {
 public:
  // Adds a block, which is in no list; removes one, which is in this list.
  void add(Block& block);
  void remove(Block& block);
  // Returns the smallest block of at least `nbytes`, null if there is none.
  Block* best(int64_t nbytes) const;
  int64_t count() const { return count_; }

  // Calls function(block) for each block; the function may remove that block.
  template <class Function>
  void for_each(Function&& function) const {
    for (Block* first : bins_)
      for (Block* block = first; block != nullptr;) {
        Block* next = block->next_free;  // read first, because `function` may remove the block
        function(*block);
        block = next;
      }
  }

 private:
  static constexpr int kBins = 448;  // eight bins a power of two
  // Returns the bin of blocks of this size.
  static int bin_of(int64_t nbytes);
  // Returns the first bin with blocks from `bin` on, kBins if there is none.
  int next_filled(int bin) const;

  Block* bins_[kBins] = {};
  uint64_t filled_[kBins / 64] = {};  // one bit a bin: whether it has blocks
  int64_t count_ = 0;
};

}  // namespace gpuarray
