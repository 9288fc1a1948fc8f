// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// What is queued on a stream when it is made.
class PendingWork {
 public:
  explicit PendingWork(const Stream& stream);
  ~PendingWork();
  PendingWork(const PendingWork&) = delete;
  PendingWork& operator=(const PendingWork&) = delete;

  Device device() const { return device_; }
  bool done() const;
  // Blocks until it is done. Throws CudaError for work that failed.
  void wait() const;

 private:
  Device device_;
  CUevent event_ = nullptr;  // null where nothing was pending
};

}  // namespace gpuarray
