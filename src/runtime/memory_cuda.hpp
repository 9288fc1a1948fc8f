// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/memory.hpp"

namespace gpuarray {

// The driver's stream-ordered pool of one device, or plain allocations where it has none.
class CudaResource final : public MemoryResource {
 public:
  explicit CudaResource(Device device);
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;

 private:
  int try_allocate(uint64_t* data, int64_t nbytes, const Stream& stream) const;

  Device device_;
  void* context_;
  void* pool_ = nullptr;
};

}  // namespace gpuarray
