// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>

namespace gpuarray {

// Owns page-locked host memory, which every CUDA device copies from and to directly.
class PageLocked {
 public:
  // Allocates the memory. A context must be current. Throws OutOfMemory when the system locks no
  // more memory, CudaError.
  explicit PageLocked(int64_t nbytes);
  ~PageLocked();
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;

  char* data() const { return static_cast<char*>(data_); }
  // Never frees the memory, because a copy may still use it.
  void abandon() { data_ = nullptr; }

 private:
  void* data_ = nullptr;
};

// Holds a small page-locked block for the scope. Blocks are kept by the process for reuse.
class SmallSlot {
 public:
  static constexpr int64_t kBytes = 64 << 10;

  // Takes a kept block, or allocates one. A context must be current. Throws CudaError.
  SmallSlot();
  ~SmallSlot();
  SmallSlot(const SmallSlot&) = delete;
  SmallSlot& operator=(const SmallSlot&) = delete;

  // Returns the block, null if the system locks no more memory.
  char* data() const { return memory_ == nullptr ? nullptr : memory_->data(); }
  // Frees the blocks that are kept for reuse. A context must be current.
  static void release_idle();
  // Gives the block up for good, without freeing it, because the device may still be using it.
  void abandon() { static_cast<void>(memory_.release()); }

 private:
  std::unique_ptr<PageLocked> memory_;
};

}  // namespace gpuarray
