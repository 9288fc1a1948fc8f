// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/kept_blocks.hpp"

#include <new>

namespace gpuarray {
namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr int kMostKept = 8;

// The blocks of a thread. After its end the thread keeps none.
struct Kept {
  void* blocks[kMostKept];
  int count = 0;
  int most = kMostKept;

  ~Kept() {
    most = 0;
    while (count > 0) ::operator delete(blocks[--count]);
  }
};

thread_local Kept kept;

}  // namespace

void* take_block(std::size_t nbytes) {
  if (nbytes > kBlockBytes) return ::operator new(nbytes);
  return kept.count > 0 ? kept.blocks[--kept.count] : ::operator new(kBlockBytes);
}

void give_block(void* block, std::size_t nbytes) noexcept {
  if (nbytes > kBlockBytes || kept.count >= kept.most) return ::operator delete(block);
  kept.blocks[kept.count++] = block;
}

}  // namespace gpuarray
