// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory_host.hpp"

#include <cstdlib>

#include "core/error.hpp"
#include "runtime/device.hpp"

namespace gpuarray {

namespace {
constexpr int64_t kAlignment = 64;
}

void* HostResource::allocate(int64_t nbytes, const Stream&) {
  // The kernel would promise more than there is and end the process when it is touched.
  if (nbytes > memory_info(Device::cpu()).total) throw OutOfMemory("");
  auto bytes = static_cast<size_t>((nbytes + kAlignment - 1) / kAlignment * kAlignment);
  void* data = std::aligned_alloc(kAlignment, bytes);
  if (data == nullptr) throw OutOfMemory("");
  return data;
}

void HostResource::deallocate(void* data, int64_t, const Stream&) noexcept { std::free(data); }

}  // namespace gpuarray
