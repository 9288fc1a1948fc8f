// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/memory.hpp"

namespace gpuarray {

// The host's heap, 64-byte aligned.
class HostResource final : public MemoryResource {
 public:
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
};

}  // namespace gpuarray
