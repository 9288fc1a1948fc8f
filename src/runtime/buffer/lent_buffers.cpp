// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/lent_buffers.hpp"

#include <iterator>
#include <map>

#include "core/fork.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"

namespace gpuarray {
namespace {

using Buffers = std::map<uintptr_t, Buffer*>;

// Guards the buffers. It is held during fork, as those of ListedBuffer are.
constinit SpinLock buffers_lock;
[[maybe_unused]] const int at_fork = hold_at_fork<buffers_lock>();

// Returns the buffers by address, whose memory is disjoint. Never destroyed, because arrays may
// outlive static destruction.
Buffers& buffers() REQUIRES(buffers_lock) {
  static Buffers& made = *new Buffers;
  return made;
}

uintptr_t begin_of(const Buffer& buffer) { return reinterpret_cast<uintptr_t>(buffer.address()); }

uintptr_t end_of(const Buffer& buffer) {
  return begin_of(buffer) + static_cast<uintptr_t>(buffer.nbytes());
}

}  // namespace

void add_lent_buffer(Buffer& buffer) {
  Buffers made;  // nothing is allocated or freed under the lock
  made.emplace(begin_of(buffer), &buffer);
  Buffers::node_type node = made.extract(made.begin());
  const LockGuard lock(buffers_lock);
  const auto after = buffers().lower_bound(node.key());
  if (after != buffers().end() && after->first < end_of(buffer)) return;
  if (after != buffers().begin() && end_of(*std::prev(after)->second) > node.key()) return;
  buffers().insert(after, std::move(node));
}

void remove_lent_buffer(const Buffer& buffer) noexcept {
  Buffers::node_type removed;  // freed after the lock is released
  const LockGuard lock(buffers_lock);
  const auto found = buffers().find(begin_of(buffer));
  if (found != buffers().end() && found->second == &buffer) removed = buffers().extract(found);
}

BufferPtr find_lent_buffer(const void* data, int64_t nbytes) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const LockGuard lock(buffers_lock);
  const auto after = buffers().upper_bound(begin);
  if (after == buffers().begin()) return nullptr;
  Buffer& buffer = *std::prev(after)->second;
  if (begin >= end_of(buffer)) return nullptr;
  if (static_cast<uintptr_t>(nbytes) > end_of(buffer) - begin) return nullptr;
  return buffer.weak_from_this().lock();  // null if the buffer is being destroyed
}

}  // namespace gpuarray
