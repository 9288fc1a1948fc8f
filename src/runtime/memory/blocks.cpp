// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/blocks.hpp"

#include <bit>

namespace gpuarray {

int FreeBlocks::bin_of(int64_t nbytes) {
  const uint64_t granules = static_cast<uint64_t>(nbytes) >> 9;
  if (granules < 8) return static_cast<int>(granules);
  const int shift = std::bit_width(granules) - 4;
  return 8 * shift + static_cast<int>(granules >> shift);
}

int FreeBlocks::next_filled(int bin) const {
  if (bin >= kBins) return kBins;
  uint64_t word = filled_[bin / 64] & (~uint64_t{0} << (bin % 64));
  for (int index = bin / 64;;) {
    if (word != 0) return index * 64 + std::countr_zero(word);
    if (++index == kBins / 64) return kBins;
    word = filled_[index];
  }
}

void FreeBlocks::add(Block& block) {
  const int bin = bin_of(block.nbytes);
  block.previous_free = nullptr;
  block.next_free = bins_[bin];
  if (block.next_free != nullptr) block.next_free->previous_free = &block;
  bins_[bin] = &block;
  filled_[bin / 64] |= uint64_t{1} << (bin % 64);
  ++count_;
}

void FreeBlocks::remove(Block& block) {
  const int bin = bin_of(block.nbytes);
  if (block.next_free != nullptr) block.next_free->previous_free = block.previous_free;
  if (block.previous_free != nullptr)
    block.previous_free->next_free = block.next_free;
  else
    bins_[bin] = block.next_free;
  if (bins_[bin] == nullptr) filled_[bin / 64] &= ~(uint64_t{1} << (bin % 64));
  --count_;
}

Block* FreeBlocks::best(int64_t nbytes) const {
  // The first bin may also hold blocks that are too small.
  for (int bin = next_filled(bin_of(nbytes)); bin < kBins; bin = next_filled(bin + 1)) {
    Block* found = nullptr;
    for (Block* block = bins_[bin]; block != nullptr; block = block->next_free) {
      if (block->nbytes == nbytes) return block;
      if (block->nbytes > nbytes && (found == nullptr || block->nbytes < found->nbytes))
        found = block;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace gpuarray
