// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/resources.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray {

void* StatisticsResource::allocate(int64_t nbytes, const Stream& stream) {
  void* data = upstream_->allocate(nbytes, stream);
  int64_t in_use = counters_->bytes_in_use.fetch_add(nbytes) + nbytes;
  int64_t peak = counters_->peak_bytes.load();
  while (in_use > peak && !counters_->peak_bytes.compare_exchange_weak(peak, in_use)) {
  }
  ++counters_->allocations;
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_allocated(data, nbytes, kind_ == MemoryKind::pinned ? stream.device() : device(), kind_,
                   stream.handle(), in_use);
  return data;
}

void StatisticsResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  const int64_t in_use = counters_->bytes_in_use.fetch_sub(nbytes) - nbytes;
  // Reported before the address can be given out again.
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_freed(data, device(), kind_, in_use);
  upstream_->deallocate(data, nbytes, stream);
  --counters_->allocations;
}

void StatisticsResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  usage.used = counters_->bytes_in_use.load();
}

MemoryStatistics StatisticsResource::statistics() const {
  return {counters_->bytes_in_use.load(), counters_->peak_bytes.load(),
          counters_->allocations.load()};
}

}  // namespace gpuarray
