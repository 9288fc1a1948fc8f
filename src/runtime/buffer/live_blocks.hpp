// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/memory/watch.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

class Buffer;

// A member of each buffer that owns memory. It links the buffers in the order of their allocation,
// those of each part of streams apart, so that live_blocks() finds them though nothing was
// recorded.
class ListedBuffer {
 public:
  ListedBuffer() = default;
  ~ListedBuffer() { unlist(); }
  ListedBuffer(const ListedBuffer&) = delete;
  ListedBuffer& operator=(const ListedBuffer&) = delete;

  // Adds a buffer, which was allocated on the stream and outlives this object. It must not be
  // listed.
  void list(const Buffer& buffer, const Stream& stream) {
    Ring& ring = rings[stream.part()];
    link_ = {&buffer, stream.handle(), &ring, nullptr, &ring.ends};
    const LockGuard lock(ring.lock);
    link_.previous = ring.ends.previous;
    link_.previous->next = &link_;
    ring.ends.previous = &link_;
  }
  // Removes it, if it is listed.
  void unlist() {
    if (link_.buffer == nullptr) return;
    const LockGuard lock(link_.ring->lock);
    link_.next->previous = link_.previous;
    link_.previous->next = link_.next;
    link_.buffer = nullptr;
  }

 private:
  friend std::vector<LiveBlock> live_blocks(Device device);
  struct Ring;
  struct Link {
    const Buffer* buffer = nullptr;  // null while the buffer is not listed
    uintptr_t stream;
    Ring* ring;
    Link* previous;  // both are written under the ring's lock, by neighbours too
    Link* next;
  };
  // A part's buffers. It has no destructor, because arrays may outlive static destruction.
  struct alignas(64) Ring {
    Ring() { ends.previous = ends.next = &ends; }
    SpinLock lock;
    Link ends GUARDED_BY(lock);  // `next` is the oldest buffer
  };
  static Ring rings[Stream::kParts];
  static const int at_fork;

  Link link_;
};

// Returns the blocks in use on a device: those of arrays, and recorded ones that no array has. The
// oldest come first; where they were not recorded, the oldest of each stream.
std::vector<LiveBlock> live_blocks(Device device);

}  // namespace gpuarray
