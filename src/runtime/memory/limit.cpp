// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>

#include "core/error.hpp"
#include "runtime/memory/resources.hpp"

namespace gpuarray {

void* LimitResource::allocate(int64_t nbytes, const Stream& stream) {
  int64_t in_use = in_use_.load();
  do {
    if (nbytes > limit_.load() - in_use) throw_out_of_memory(device(), nbytes, limit_);
  } while (!in_use_.compare_exchange_weak(in_use, in_use + nbytes));
  try {
    return upstream_->allocate(nbytes, stream);
  } catch (...) {
    in_use_ -= nbytes;
    throw;
  }
}

void LimitResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  upstream_->deallocate(data, nbytes, stream);
  in_use_ -= nbytes;
}

void LimitResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  usage.used = in_use_.load();
  usage.limit = std::min(usage.limit, limit_.load());
}

}  // namespace gpuarray
