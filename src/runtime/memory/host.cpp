// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstdlib>

#include "core/divide.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/memory/resources.hpp"

namespace gpuarray {

void* HostResource::allocate(int64_t nbytes, const Stream&) {
  constexpr int64_t kAlignment = 64;
  // The system would promise more memory than there is, and kill the process when it is touched.
  if (nbytes > host_properties().total_memory) throw_out_of_memory(Device::cpu(), nbytes);
  size_t rounded = static_cast<size_t>(round_up(nbytes, kAlignment));
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) throw_out_of_memory(Device::cpu(), nbytes);
  used_ += nbytes;
  return data;
}

void HostResource::deallocate(void* data, int64_t nbytes, const Stream&) noexcept {
  used_ -= nbytes;
  std::free(data);
}

}  // namespace gpuarray
