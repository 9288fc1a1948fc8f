// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>

#include "core/device.hpp"

namespace gpuarray {

// Owns a stream of a device; work queued on it runs in order. The cpu device has one, which is
// always idle.
class Stream {
 public:
  // `handle` is a CUstream; owned streams are destroyed with the object.
  Stream(Device device, uintptr_t handle, bool owned)
      : device_(device), handle_(handle), owned_(owned) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device device() const { return device_; }
  uintptr_t handle() const { return handle_; }
  bool owned() const { return owned_; }

  // Blocks until all queued work is done. Throws CudaError for work that failed.
  void synchronize() const;
  // Whether all queued work is done.
  bool done() const;
  // Later work on this stream runs after what is queued on `other` now. Blocks only the cpu's.
  void wait_for(const Stream& other) const;

 private:
  Device device_;
  uintptr_t handle_;
  bool owned_;
};

using StreamPtr = std::shared_ptr<Stream>;

// A new stream; non-blocking ones do not order themselves with the legacy default stream.
StreamPtr create_stream(Device device, bool non_blocking = true, int priority = 0);
// Borrows a foreign handle, which must outlive its use; 1 is the legacy and 2 the per-thread
// default stream.
StreamPtr external_stream(Device device, uintptr_t handle);

// The stream that this thread's operations on `device` go to: by default the device's main stream,
// which orders itself with the legacy default stream that other libraries use.
const StreamPtr& current_stream(Device device);
// Returns the one before.
StreamPtr set_current_stream(StreamPtr stream);

}  // namespace gpuarray
