// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "runtime/memory/memory.hpp"

namespace gpuarray {

// Memory of a CUDA device that other processes can open (runtime/buffer/ipc.hpp). A block fills
// whole pages of the driver's, so that no other memory is opened with it. It is freed when the
// device has done all its work, for which the free waits.
class IpcResource final : public MemoryResource {
 public:
  // Throws DeviceError for cpu and for a device that does not exist.
  explicit IpcResource(Device device);
  Device device() const override { return device_; }
  std::string describe() const override { return "IpcResource"; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override { usage.used += used_; }

 private:
  const Device device_;
  std::atomic<int64_t> used_ = 0;
};

}  // namespace gpuarray
