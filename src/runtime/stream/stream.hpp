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

// Returns a number for the calling thread. Unlike the system's identifiers it is never reused.
uint64_t this_thread_number();

// A stream of a device: work that is queued on it runs in order. It is an owned CUDA stream, or a
// borrowed handle of another library. The cpu device has one stream, which is always idle.
// Thread-safe.
class Stream {
 public:
  // `handle` is a CUstream. An owned stream is destroyed with the object, whereas a borrowed one
  // must outlive its use.
  Stream(Device device, uintptr_t handle, bool owned)
      : device_(device),
        handle_(handle),
        owned_(owned),
        part_(static_cast<uint8_t>(
            (handle + static_cast<uint64_t>(device.index)) * 0x9e3779b97f4a7c15u >> 58)),
        per_thread_(handle == CU_STREAM_PER_THREAD && !device.is_cpu()),
        thread_(this_thread_number()) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device device() const { return device_; }
  uintptr_t handle() const { return handle_; }
  bool owned() const { return owned_; }
  // Returns a number below kParts, the same for streams that share a handle. What every call writes
  // is kept in so many parts, on cache lines of their own, so that threads on different streams do
  // not pass one to and fro.
  int part() const { return part_; }
  static constexpr int kParts = 64;

  // Blocks until all queued work is done. Throws CudaError for work that failed, IndexError for an
  // index out of bounds that the device came upon, CaptureError during a capture.
  void synchronize() const;
  // Blocks as synchronize(), but throws no IndexError. It is for waits that the user has not asked
  // for; a later synchronize() reports the error.
  void finish() const;
  // Returns whether all queued work is done. Throws CudaError for work that failed, CaptureError
  // during a capture.
  bool done() const;
  // Makes later work on this stream run after what is queued on `other` now. It does not block the
  // host unless this is the stream of the cpu. Throws CaptureError if this stream is being captured
  // and `other` is another stream, CudaError.
  void wait_for(const Stream& other) const;
  // Returns the priority; lower numbers run first.
  int priority() const;
  // Returns whether the stream does not order itself with the legacy default stream.
  bool is_non_blocking() const;
  // Calls function(argument) on a thread of the driver once the work queued so far is done; later
  // work waits for it. The function must not call CUDA. On cpu it is called at once. Throws
  // CaptureError during a capture.
  void launch_host_function(void (*function)(void*), void* argument) const;
  // Returns whether the handle is another library's, or a default stream's. Such a stream may be
  // destroyed before the memory that it used, or may mean another stream on another thread; later
  // work therefore waits for an event that our operations record after themselves.
  bool is_borrowed() const { return !owned_ && !device_.is_cpu(); }
  // Returns whether this is a driver's per-thread default stream.
  bool is_per_thread() const { return per_thread_; }
  // Records the event of a borrowed stream. Every operation calls it after queueing its work, but
  // not during a capture.
  void record_use_if_borrowed() const {
    if (is_borrowed() && !is_capturing()) record_last_use();
  }
  // Makes later work on this stream run after our operations on `other`. For a borrowed stream it
  // uses the event, never the handle.
  void wait_for_uses(const Stream& other) const;
  // The same for destructors: blocks until the operations are done if the driver does not order
  // them. Returns false if it does not wait for them either, as during a capture.
  bool wait_or_block(const Stream& other) const noexcept;
  // Records the event of a borrowed stream for destructors: blocks until the work is done if the
  // driver does not record, or if this is of another thread. If it does not wait either, who waits
  // for the uses waits for the device.
  void record_use_or_block() const noexcept;
  // Returns whether our operations on this stream are done. For a borrowed stream it uses the event
  // only.
  bool uses_done() const;
  // Returns whether this is the per-thread default stream of another thread, whose handle means
  // another stream here.
  bool is_of_another_thread() const { return per_thread_ && thread_ != this_thread_number(); }

  // Returns whether work queued on this stream is recorded for a graph instead of being run.
  bool is_capturing() const { return capturing_.load(std::memory_order_relaxed); }
  std::shared_ptr<Recording> recording() const;  // null if it is not being captured
  // Sets the recording, or ends it with null. Only begin_recording() and end_recording() call it.
  // It records the event first, for what has to wait for the work before the capture.
  void set_recording(const std::shared_ptr<Recording>& recording);
  // Returns whether memory that is ready on this stream exists only once a graph, which is still
  // being captured, is launched.
  bool awaits_graph_launch() const { return awaits_graph_launch_.load(std::memory_order_relaxed); }
  void set_awaits_graph_launch(bool awaits) { awaits_graph_launch_ = awaits; }

 private:
  // Blocks until our operations on this stream are done. For a borrowed stream it uses the event.
  void finish_uses() const;
  // Drops the number that unrecorded_use_ had before a wait, which covers that use.
  void forget_unrecorded_use(uint64_t number) const;
  // Records last_use_ after the work queued so far, and returns it.
  CUevent record_last_use() const;
  // Makes later work on this stream wait for the event; null means nothing to wait for.
  void wait_for_event(CUevent event) const;

  Device device_;
  uintptr_t handle_;
  bool owned_;
  uint8_t part_;
  bool per_thread_;
  uint64_t thread_;  // number of the thread that made the object
  // Event after our last operation; created at its first record.
  mutable std::atomic<CUevent> last_use_ = nullptr;
  std::atomic<bool> capturing_ = false;
  std::atomic<bool> awaits_graph_launch_ = false;
  // The number of the last use that last_use_ may come before, which no other use has; 0 if there
  // is none.
  mutable std::atomic<uint64_t> unrecorded_use_ = 0;
  std::weak_ptr<Recording> recording_;
};

using StreamPtr = std::shared_ptr<Stream>;

// Sets the function that is called before an owned stream is destroyed, on any thread. Memory pools
// then drop what they keep for the stream. It must not throw.
void set_stream_end_hook(void (*hook)(const Stream&) noexcept);

// Creates a stream. A non-blocking one does not order itself with the legacy default stream; lower
// priorities run first. Throws DeviceError and CudaError.
StreamPtr create_stream(Device device, bool non_blocking = true, int priority = 0);
// Borrows a handle of another library, which must outlive its use. Handle 1 is the legacy default
// stream, 2 this thread's default stream. A handle that is being captured gives the capture's own
// Stream. Throws DeviceError for a device that does not exist.
StreamPtr external_stream(Device device, uintptr_t handle);

// Returns the stream that this thread's operations on `device` are queued on: the one set by
// set_current_stream(), else the device's main stream. Throws DeviceError for a device that does
// not exist.
const StreamPtr& current_stream(Device device);
// Sets this thread's current stream (null: the main stream) and returns the previous one.
StreamPtr set_current_stream(StreamPtr stream, Device device);
// Returns `stream`, or this thread's default stream if `stream` is another thread's.
StreamPtr for_this_thread(const StreamPtr& stream);

}  // namespace gpuarray
