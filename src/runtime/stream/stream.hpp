// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

class Recording;

// Unlike the system's, never given to another thread.
uint64_t this_thread_number();

// Owns a stream of a device; work queued on it runs in order. The cpu device has one, which is
// always idle.
class Stream {
 public:
  // `handle` is a CUstream; owned streams are destroyed with the object.
  Stream(Device device, uintptr_t handle, bool owned)
      : device_(device),
        handle_(handle),
        owned_(owned),
        per_thread_(handle == CU_STREAM_PER_THREAD && !device.is_cpu()),
        thread_(this_thread_number()) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device device() const { return device_; }
  uintptr_t handle() const { return handle_; }
  bool owned() const { return owned_; }

  // Blocks until all queued work is done. Throws CudaError for work that failed, IndexError for an
  // index out of bounds that the device came upon.
  void synchronize() const;
  // The same where nobody asked to wait: leaves the IndexError to the next who does.
  void finish() const;
  // Whether all queued work is done.
  bool done() const;
  // Later work on this stream runs after what is queued on `other` now. Blocks only the cpu's.
  void wait_for(const Stream& other) const;
  // Lower numbers go first.
  int priority() const;
  // Whether it does not order itself with the legacy default stream.
  bool is_non_blocking() const;
  // Calls `function(argument)` on a thread of the driver once the work queued so far is done; later
  // work waits for it. It may call nothing of CUDA. On cpu at once.
  void launch_host_function(void (*function)(void*), void* argument) const;
  // Whether its handle is another library's, gone perhaps before the memory that it used, or means
  // another stream on every thread. Operations leave a mark on such a stream, for what comes after
  // them to go by, unless they are captured.
  bool is_borrowed() const { return !owned_ && !device_.is_cpu(); }
  bool is_per_thread() const { return per_thread_; }
  void mark_if_borrowed() const {
    if (is_borrowed() && !is_capturing()) mark();
  }
  // Later work on this stream runs after the operations of ours that are queued on `other`.
  void wait_for_uses(const Stream& other) const;
  // Whether the operations of ours on it are done.
  bool uses_done() const;
  bool is_of_another_thread() const { return per_thread_ && thread_ != this_thread_number(); }

  // Whether work queued on it is recorded for a graph instead of being done.
  bool is_capturing() const { return capturing_.load(std::memory_order_relaxed); }
  std::shared_ptr<Recording> recording() const;  // null if not
  // For begin_recording: begins, after noting what is queued now, and ends with null.
  void set_recording(const std::shared_ptr<Recording>& recording);
  // Whether the memory that is ready on it exists only once a graph under capture is launched.
  bool is_unready() const { return unready_.load(std::memory_order_relaxed); }
  void set_unready(bool unready) { unready_ = unready; }

 private:
  CUevent mark() const;
  void wait_for_mark(CUevent mark) const;

  Device device_;
  uintptr_t handle_;
  bool owned_;
  bool per_thread_;
  uint64_t thread_;                              // that made it
  mutable std::atomic<CUevent> mark_ = nullptr;  // made at the first use
  std::atomic<bool> capturing_ = false;
  std::atomic<bool> unready_ = false;
  std::weak_ptr<Recording> recording_;
};

using StreamPtr = std::shared_ptr<Stream>;

// Called before a stream that we own is destroyed, on any thread; for pools, which keep nothing for
// it from then on. Must not throw.
void set_stream_end_hook(void (*hook)(const Stream&) noexcept);

// A new stream; non-blocking ones do not order themselves with the legacy default stream.
StreamPtr create_stream(Device device, bool non_blocking = true, int priority = 0);
// Borrows a foreign handle, which must outlive its use; 1 is the legacy and 2 this thread's default
// stream.
StreamPtr external_stream(Device device, uintptr_t handle);

// The stream that this thread's operations on `device` go to: by default the device's main stream,
// which orders itself with the legacy default stream that other libraries use.
const StreamPtr& current_stream(Device device);
// Null is the main stream. Returns the one before.
StreamPtr set_current_stream(StreamPtr stream, Device device);
// `stream`, or this thread's default stream if it is another thread's.
StreamPtr for_this_thread(const StreamPtr& stream);

}  // namespace gpuarray
