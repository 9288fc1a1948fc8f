// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "core/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// A block of memory shared by views: owned (returned to its resource) or borrowed (its owner
// released).
class Buffer {
 public:
  // Allocates `nbytes` (>= 0; nothing for 0) from the current resource on `stream`.
  static std::shared_ptr<Buffer> allocate(int64_t nbytes, const StreamPtr& stream);
  // Foreign memory, ready for work on `stream`. `release` runs once, after that work was queued; it
  // may run on any thread.
  static std::shared_ptr<Buffer> borrow(void* data, int64_t nbytes, Device device, bool readonly,
                                        StreamPtr stream, std::function<void()> release);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* data() const { return data_; }
  int64_t nbytes() const { return nbytes_; }
  Device device() const { return device_; }
  bool readonly() const { return readonly_; }
  bool owned() const { return resource_ != nullptr; }

  // Makes work queued on `stream` from now on run after all earlier uses, and records this use.
  // A use is ordered once its work is queued: callers keep the GIL, or order their threads.
  void use_on(const StreamPtr& stream) {
    // Equal addresses are one stream: last_stream_ keeps it alive.
    if (last_.load(std::memory_order_acquire) != stream.get() && !device_.is_cpu()) move_to(stream);
  }
  // The stream of the last use: synchronising it covers all pending work on this memory.
  StreamPtr last_stream() const;

 private:
  Buffer() = default;
  void move_to(const StreamPtr& stream);
  void set_last_stream(const StreamPtr& stream);

  void* data_ = nullptr;  // device address, or host address on cpu
  int64_t nbytes_ = 0;
  Device device_;
  bool readonly_ = false;
  std::shared_ptr<MemoryResource> resource_;
  std::function<void()> release_;
  mutable std::mutex mutex_;
  StreamPtr last_stream_;
  std::atomic<const Stream*> last_ = nullptr;  // last_stream_'s, read without the lock
};

using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace gpuarray
