// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>

namespace gpuarray {

// Owns host memory that every CUDA device copies from and to directly.
class PageLocked {
 public:
  // A context must be current. Throws OutOfMemory when the system locks no more.
  explicit PageLocked(int64_t nbytes);
  ~PageLocked();
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;

  char* data() const { return static_cast<char*>(data_); }

 private:
  void* data_ = nullptr;
};

// A small page-locked block for the scope, one of those that the process keeps for reuse.
class SmallSlot {
 public:
  static constexpr int64_t kBytes = 64 << 10;

  // A context must be current.
  SmallSlot();
  ~SmallSlot();
  SmallSlot(const SmallSlot&) = delete;
  SmallSlot& operator=(const SmallSlot&) = delete;

  // Null when the system locks no more memory.
  char* data() const { return memory_ == nullptr ? nullptr : memory_->data(); }
  // Frees what is kept for reuse. A context must be current.
  static void release_idle();
  // To the device, which may still use it, for good.
  void leave() { static_cast<void>(memory_.release()); }

 private:
  std::unique_ptr<PageLocked> memory_;
};

}  // namespace gpuarray
