// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Stands for the work that was queued on a stream when the object was made.
class PendingWork {
 public:
  // Throws CudaError if the work cannot be marked.
  explicit PendingWork(const Stream& stream);
  ~PendingWork();
  PendingWork(const PendingWork&) = delete;
  PendingWork& operator=(const PendingWork&) = delete;

  Device device() const { return device_; }
  // Returns whether the work is done. Throws CudaError for work that failed.
  bool done() const;
  // Blocks until the work is done. Throws CudaError for work that failed.
  void wait() const;

 private:
  Device device_;
  CUevent event_ = nullptr;  // null if nothing was pending
};

}  // namespace gpuarray
