// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"

// Who allocated what, and when: for as long as somebody asks.
namespace gpuarray {

class Buffer;

// Whether anybody does.
inline std::atomic<bool> memory_is_watched = false;

struct LiveBlock {
  const void* data;
  int64_t nbytes;
  Device device;
  MemoryKind kind;
  uintptr_t stream;  // the CUstream it was allocated on
  std::string site;  // "file.py:12", or ""
  double age;        // seconds; infinite for a block that was not recorded
};

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

// Told by the resources that count; `in_use` are the bytes of that kind and device, afterwards.
void note_allocated(const void* data, int64_t nbytes, Device device, MemoryKind kind,
                    uintptr_t stream, int64_t in_use) noexcept;
void note_freed(const void* data, Device device, MemoryKind kind, int64_t in_use) noexcept;

// Whether the lines and times of blocks are recorded from now on; returns whether they were. What
// was recorded is forgotten when it ends.
bool record_blocks(bool on);
// Those in use, the oldest first: of arrays, and recorded ones without.
std::vector<LiveBlock> live_blocks(Device device);

struct ProfilePoint {
  double seconds;  // since the start
  int64_t bytes_in_use;
};
struct ProfileReport {
  int64_t peak_bytes = 0;  // most in use at a time, with what was in use at the start
  int64_t allocated_bytes = 0;
  int64_t allocations = 0;
  std::vector<ProfilePoint> timeline;
};
// A meter of the memory of a device (and what it has of managed memory), by number.
int64_t start_profile(Device device);
// Up to now. A timeline keeps at most 2^16 points: beyond,
// the higher of two neighbours.
ProfileReport read_profile(int64_t number);
void end_profile(int64_t number);

}  // namespace gpuarray
