// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/device.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray {

class Buffer;

// Guards a few assignments at each allocation, which a std::mutex would cost several times.
class SpinLock {
 public:
  void lock() {
    if (taken_.test_and_set(std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  void wait();

  std::atomic_flag taken_;
};

// Lists a buffer that owns memory, in the order of their allocation; whoever asks for them need not
// have said so before.
class ListedBuffer {
 public:
  ListedBuffer() = default;
  ~ListedBuffer() {
    if (link_.next == nullptr) return;
    const std::lock_guard lock(ring_lock);
    link_.next->previous = link_.previous;
    link_.previous->next = link_.next;
  }
  ListedBuffer(const ListedBuffer&) = delete;
  ListedBuffer& operator=(const ListedBuffer&) = delete;

  // Once, for a buffer that outlives this, allocated on the stream of this handle.
  void list(const Buffer& buffer, uintptr_t stream) {
    link_.buffer = &buffer;
    link_.stream = stream;
    link_.next = &ring;
    const std::lock_guard lock(ring_lock);
    link_.previous = ring.previous;
    link_.previous->next = &link_;
    ring.previous = &link_;
  }

  static SpinLock ring_lock;

 private:
  friend std::vector<LiveBlock> live_blocks(Device device);
  struct Link {
    const Buffer* buffer;
    uintptr_t stream;
    Link* previous;
    Link* next = nullptr;  // null while it is not listed
  };
  static Link ring;  // its first is the oldest; of trivial destruction, as arrays may outlive it

  Link link_;
};

// The blocks in use, the oldest first: those of arrays, and recorded ones without an array.
std::vector<LiveBlock> live_blocks(Device device);

}  // namespace gpuarray
