// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <bit>
#include <utility>

#include "core/fork.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/watch.hpp"

namespace gpuarray {
namespace {

// Guards all shares, and is held during fork, so that the child does not find it locked by a thread
// that it does not have.
constinit SpinLock shares_lock;
[[maybe_unused]] const int at_fork = hold_at_fork<shares_lock>();

constexpr int64_t kSlack = 1 << 16;  // bytes

// Calls function(part) for each part whose bit is set.
template <class Part, class Function>
void for_each(Part* parts, uint64_t bits, Function&& function) {
  for (; bits != 0; bits &= bits - 1) function(parts[std::countr_zero(bits)]);
}

}  // namespace

void MemoryCounters::divide_peak() {
  // Threads that meet here get shares of more than the peak, which may miss as much. With exact
  // ones they would meet at every block while all of them use less than a block below the peak.
  const bool meet = !shares_lock.try_lock();
  if (meet) shares_lock.lock();
  const LockGuard lock(shares_lock, std::adopt_lock);
  const uint64_t used = used_.load();  // parts that are used later have no share
  // From now on whoever adds more than was freed waits for the lock.
  for_each(parts_, used, [](Part& part) { part.share = kNoShare; });
  int64_t sum = 0;
  const auto add_up = [&] {
    const int64_t before = std::exchange(sum, 0);
    for_each(parts_, used, [&](Part& part) { sum += part.share = part.bytes.load(); });
    return sum != before;
  };
  // Blocks that are freed meanwhile would count beside those that take their place. It ends, as a
  // part without a share can only free.
  while (add_up() && sum > peak_) {
  }
  if (sum > peak_) peak_ = sum;
  const int64_t room = std::max((peak_ - sum) / std::popcount(used), meet ? kSlack : 0);
  for_each(parts_, used, [&](Part& part) { part.share += room; });
}

MemoryStatistics MemoryCounters::read() {
  int64_t in_use = 0, allocations = 0;
  for_each(parts_, used_.load(), [&](const Part& part) {
    in_use += part.bytes.load();
    allocations += part.allocations.load();
  });
  if (in_use > peak_) divide_peak();
  // Blocks that move from part to part meanwhile are counted twice, or not at all.
  const int64_t peak = peak_;
  return {std::clamp<int64_t>(in_use, 0, peak), peak, std::max<int64_t>(allocations, 0)};
}

void* StatisticsResource::allocate(int64_t nbytes, const Stream& stream) {
  void* data = upstream_->allocate(nbytes, stream);
  counters_->add(nbytes, stream);
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_allocated(data, nbytes, kind_ == MemoryKind::pinned ? stream.device() : device(), kind_,
                   stream.handle(), counters_->read().bytes_in_use);
  return data;
}

void StatisticsResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  counters_->subtract(nbytes, stream);
  // Reported before the address can be given out again.
  if (memory_is_watched.load(std::memory_order_relaxed)) [[unlikely]]
    note_freed(data, device(), kind_, counters_->read().bytes_in_use);
  upstream_->deallocate(data, nbytes, stream);
}

void StatisticsResource::add_usage(MemoryUsage& usage) const {
  upstream_->add_usage(usage);
  usage.used = counters_->read().bytes_in_use;
}

}  // namespace gpuarray
