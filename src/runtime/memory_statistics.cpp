// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory_resources.hpp"
#include "runtime/memory_watch.hpp"

namespace gpuarray {

void* StatisticsResource::allocate(int64_t nbytes, const Stream& stream) {
  void* data = upstream_->allocate(nbytes, stream);
  int64_t in_use = bytes_in_use_.fetch_add(nbytes) + nbytes;
  int64_t peak = peak_bytes_.load();
  while (in_use > peak && !peak_bytes_.compare_exchange_weak(peak, in_use)) {
  }
  ++allocations_;
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_allocated(data, nbytes, kind_ == MemoryKind::pinned ? stream.device() : device_, kind_,
                   stream.handle(), in_use);
  return data;
}

void StatisticsResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  const int64_t in_use = bytes_in_use_.fetch_sub(nbytes) - nbytes;
  // Before the address can be another's.
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_freed(data, device_, kind_, in_use);
  upstream_->deallocate(data, nbytes, stream);
  --allocations_;
}

MemoryStatistics StatisticsResource::statistics() const {
  return {bytes_in_use_.load(), peak_bytes_.load(), allocations_.load()};
}

}  // namespace gpuarray
