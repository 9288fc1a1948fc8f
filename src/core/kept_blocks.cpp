// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/kept_blocks.hpp"

#include <new>

namespace gpuarray {
namespace {

// AddressSanitizer sees uses of blocks only after they were given back to malloc().
#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

// The blocks of one size of a thread. After its end the thread keeps none.
template <std::size_t nbytes, int most_kept>
struct Kept {
  static constexpr std::size_t kBytes = nbytes;
  void* blocks[most_kept];
  int count = 0;
  int most = kKeeps ? most_kept : 0;

  ~Kept() {
    most = 0;
    while (count > 0) ::operator delete(blocks[--count]);
  }
  void* take() { return count > 0 ? blocks[--count] : ::operator new(nbytes); }
  void give(void* block) {
    if (count >= most) return ::operator delete(block);
    blocks[count++] = block;
  }
};

// For buffers: the results of a full window let go of their blocks at once.
thread_local Kept<384, 128> small;
thread_local Kept<4096, 8> large;

}  // namespace

void* take_block(std::size_t nbytes) {
  if (nbytes <= small.kBytes) return small.take();
  return nbytes <= large.kBytes ? large.take() : ::operator new(nbytes);
}

void give_block(void* block, std::size_t nbytes) noexcept {
  if (nbytes <= small.kBytes) return small.give(block);
  nbytes <= large.kBytes ? large.give(block) : ::operator delete(block);
}

}  // namespace gpuarray
