// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

// The memory of the stub driver: one range of addresses, cut into blocks whose sizes are powers of
// two, so that an allocation always costs the same.
namespace stub {

inline constexpr size_t kTotal = size_t{4} << 30;
inline constexpr size_t kAlignment = 256;

// An allocator over that range. Thread-safe.
class Arena {
 public:
  // Returns null if the range is used up.
  void* allocate(size_t nbytes) {
    if (nbytes == 0 || nbytes > kTotal) return nullptr;
    size_t block = std::bit_ceil(nbytes + kAlignment);
    std::lock_guard lock(mutex_);
    Header*& free = free_[std::bit_width(block)];
    Header* header = free;
    if (header != nullptr) {
      free = header->next;
    } else {
      if (block > kTotal - used_) return nullptr;
      header = reinterpret_cast<Header*>(base_ + used_);
      used_ += block;
    }
    *header = {nullptr, block, nbytes};
    in_use_ += static_cast<int64_t>(nbytes);
    return reinterpret_cast<char*>(header) + kAlignment;
  }

  // Returns false for memory that is not allocated.
  bool deallocate(void* data) {
    if (!contains(data)) return false;
    auto* header = reinterpret_cast<Header*>(static_cast<char*>(data) - kAlignment);
    std::lock_guard lock(mutex_);
    if (header->nbytes == 0) return false;
    Header*& free = free_[std::bit_width(header->block)];
    in_use_ -= static_cast<int64_t>(header->nbytes);
    *header = {free, header->block, 0};
    free = header;
    return true;
  }

  bool contains(const void* data) const {
    auto* at = static_cast<const char*>(data);
    return at >= base_ + kAlignment && at < base_ + used_;
  }

  // Describes the allocation that begins at `data`. Returns false for other memory.
  bool block_of(void* data, void** base, size_t* nbytes) const {
    if (!contains(data)) return false;
    *base = data;
    *nbytes = reinterpret_cast<Header*>(static_cast<char*>(data) - kAlignment)->nbytes;
    return true;
  }

  int64_t in_use() const { return in_use_; }

 private:
  // Stands in the first kAlignment bytes of each block.
  struct Header {
    Header* next;   // the next free block of its size
    size_t block;   // bytes, including the header
    size_t nbytes;  // bytes asked for; 0 if the block is free
  };

  std::mutex mutex_;
  char* base_ = static_cast<char*>(mmap(nullptr, kTotal, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  std::atomic<size_t> used_ = 0;
  std::atomic<int64_t> in_use_ = 0;
  Header* free_[64] = {};
};

inline Arena& arena() {
  static Arena& made = *new Arena;  // never destroyed: arrays may outlive static destruction
  return made;
}

inline void* allocate(size_t nbytes) { return arena().allocate(nbytes); }
inline bool deallocate(void* data) { return arena().deallocate(data); }
inline bool contains(const void* data) { return arena().contains(data); }
inline bool block_of(void* data, void** base, size_t* nbytes) {
  return arena().block_of(data, base, nbytes);
}
inline int64_t bytes_in_use() { return arena().in_use(); }

}  // namespace stub
