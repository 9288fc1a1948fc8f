// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core/device.hpp"
#include "core/spin_lock.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray {

class Buffer;

// A member of each buffer that owns memory. It links the buffers in the order of their allocation,
// so that live_blocks() finds them though nothing was recorded.
class ListedBuffer {
 public:
  ListedBuffer() = default;
  ~ListedBuffer() {
    if (link_.buffer == nullptr) return;
    const std::lock_guard lock(ring_lock);
    link_.next->previous = link_.previous;
    link_.previous->next = link_.next;
  }
  ListedBuffer(const ListedBuffer&) = delete;
  ListedBuffer& operator=(const ListedBuffer&) = delete;

  // Adds a buffer, which was allocated on the stream of this handle and outlives this object. Call
  // it once at most.
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
    const Buffer* buffer = nullptr;  // null while the buffer is not listed
    uintptr_t stream;
    Link* previous;  // both are written under the lock, by neighbours too
    Link* next;
  };
  // The ends of the list; `next` is the oldest buffer. It has no destructor, because arrays may
  // outlive static destruction.
  static Link ring;

  Link link_;
};

// Returns the blocks in use on a device, the oldest first: those of arrays, and recorded ones that
// no array has.
std::vector<LiveBlock> live_blocks(Device device);

}  // namespace gpuarray
