// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/access.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <ranges>
#include <utility>

#include "core/thread_safety.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/buffer/submission_lock.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

// What lets accesses give their buffers to other threads' accesses for a while. Never destroyed.
struct HostWork {
  std::atomic<uint32_t> done = 0;  // number of accesses with host work that were closed
  Mutex mutex;                     // guards `detached` and BufferAccess::suspended_
  std::vector<BufferAccess*> detached GUARDED_BY(mutex);
};

HostWork& host_work = *new HostWork;

// The accesses on this thread's stack. They can be nested, because a user's allocator may use
// arrays. They share what the thread holds of the lock: a slot, if that is not null, else all of
// it.
struct Stack {
  int depth = 0;
  SubmissionLock::Slot* slot = nullptr;
  BufferAccess* innermost = nullptr;
};
constinit thread_local Stack stack;
constinit std::atomic<int> in_turn = 0;  // the number of AccessesInTurn

void release_submission_lock() {
  if (--stack.depth != 0) return;
  if (stack.slot != nullptr)
    submission_lock.release(*std::exchange(stack.slot, nullptr));
  else
    submission_lock.release_share();
}

void note_host_work_done() {
  ++host_work.done;
  host_work.done.notify_all();
}

}  // namespace

BufferAccess::BufferAccess(const StreamPtr& stream) : stream_(stream) {
  if (is_work_deferred()) [[unlikely]] {
    if (stack.depth == 0) run_deferred_work();
    // What other threads defer from now on comes after this access.
    settles_ = is_work_deferred();
  }
  if (stream->device().is_cpu()) return;
  require_driver();
  refuse_foreign_capture(*stream);
  acquire_slot(*stream);
  locked_ = true;
  outer_ = std::exchange(stack.innermost, this);
  if (stream->is_capturing()) [[unlikely]] {
    exclude_others();
    capture_ = capture_of(*stream);
  }
}

void BufferAccess::acquire_slot(const Stream& stream) {
  if (stack.depth > 0 || in_turn.load(std::memory_order_relaxed) > 0) return acquire_all();
  SubmissionLock::Slot& slot = submission_lock.slot_of(stream);
  if (!submission_lock.try_acquire(slot)) [[unlikely]] {
    // An access of this thread that is detached holds the whole lock.
    if (submission_lock.is_held_here()) return acquire_all();
    submission_lock.acquire(slot);
  }
  stack.slot = &slot;
  stack.depth = 1;
}

void BufferAccess::acquire_all() {
  if (stack.slot != nullptr) {
    // The one access that is open keeps its buffers meanwhile.
    stack.innermost->begin_long_uses();
    submission_lock.release(*std::exchange(stack.slot, nullptr));
    submission_lock.acquire_all();
    stack.innermost->end_long_uses();
    note_host_work_done();
  } else if (stack.depth == 0) {
    submission_lock.acquire_all();
  }
  ++stack.depth;
}

void BufferAccess::exclude_others() {
  if (!locked_ || stack.slot == nullptr) return;
  submission_lock.release(*std::exchange(stack.slot, nullptr));
  submission_lock.acquire_all();
  order_uses();
}

AccessesInTurn::AccessesInTurn() { ++in_turn; }
AccessesInTurn::~AccessesInTurn() { --in_turn; }

bool BufferAccess::is_any_open_here() { return stack.depth > 0; }

BufferAccess::~BufferAccess() {
  if (unlocked_for_host_work_) {
    acquire_all();
    locked_ = true;
    end_long_uses();
    note_host_work_done();
  }
  if (!locked_) return;
  if (stream_->is_borrowed()) stream_->record_use_or_block();
  if (detached_by_ != 0) {
    close_detached();
    return;
  }
  if (!unlocked_for_host_work_) stack.innermost = outer_;
  release_submission_lock();
}

void BufferAccess::detach_from_thread() {
  if (!locked_) return;
  exclude_others();
  const LockGuard lock(host_work.mutex);
  host_work.detached.push_back(this);
  detached_by_ = this_thread_number();
  stack.innermost = outer_;
  submission_lock.add_share();
  release_submission_lock();
}

void BufferAccess::close_detached() {
  const auto close = [&] {
    const LockGuard lock(host_work.mutex);
    if (suspended_) return false;
    std::erase(host_work.detached, this);
    submission_lock.release_share();
    return true;
  };
  if (close()) return;
  // Waiting for all slots would include that of this thread, if it is amid an operation, which then
  // goes on with the whole lock.
  BufferAccess* const amid = stack.slot != nullptr ? stack.innermost : nullptr;
  if (amid != nullptr) {
    amid->begin_long_uses();
    submission_lock.release(*std::exchange(stack.slot, nullptr));
  }
  // A suspended access has no share, and its uses may only be ended by the holder of the lock. Its
  // thread may take the lock back before this one does.
  bool closed = false;
  blocking([&] { submission_lock.acquire_all_unless([&] { return closed = close(); }); });
  if (!closed) {
    const LockGuard lock(host_work.mutex);
    std::erase(host_work.detached, this);
    end_long_uses();
    if (amid == nullptr) submission_lock.release_share();
  } else if (amid != nullptr) {
    submission_lock.acquire_all();
  }
  if (amid != nullptr) amid->end_long_uses();
  note_host_work_done();
}

void BufferAccess::begin_long_uses() {
  any_use([](const BufferUse& use) {
    use.buffer->begin_long_use(use.writes);
    return false;
  });
}

void BufferAccess::end_long_uses() {
  any_use([](const BufferUse& use) {
    use.buffer->end_long_use(use.writes);
    return false;
  });
}

void BufferAccess::yield_to_host_work(BufferAccess* innermost) {
  HostWork& work = host_work;
  const uint64_t number = this_thread_number();
  const auto is_own = [&](const BufferAccess* access) { return access->detached_by_ == number; };
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_)
    open->begin_long_uses();
  const uint32_t done = work.done;
  {
    const LockGuard lock(work.mutex);
    for (BufferAccess* detached : work.detached | std::views::filter(is_own)) {
      detached->begin_long_uses();
      detached->suspended_ = true;
    }
    submission_lock.release_all();
  }
  blocking([&] { work.done.wait(done); });
  submission_lock.acquire_all();
  bool any_detached = false;
  {
    const LockGuard lock(work.mutex);
    for (BufferAccess* detached : work.detached | std::views::filter(is_own)) {
      detached->end_long_uses();
      detached->suspended_ = false;
      submission_lock.add_share();
      any_detached = true;
    }
  }
  if (any_detached) submission_lock.wake_waiters();  // of which one may close a detached access
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_) open->end_long_uses();
  // Others may wait for what was given back, but an access that has nothing would only wake them.
  bool was_given = any_detached;
  const auto is_use = [](const BufferUse&) { return true; };
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_)
    was_given = was_given || open->any_use(is_use);
  if (was_given) note_host_work_done();
}

void BufferAccess::order() {
  if (stack.slot == nullptr) return order_uses();
  const auto is_ordered = [&](const BufferUse& use) {
    return use.buffer->is_ordered(stream_, use.writes);
  };
  if (any_use(std::not_fn(is_ordered))) exclude_others();
}

void BufferAccess::order_uses() {
  const auto is_busy = [](const BufferUse& use) { return use.buffer->is_in_long_use(use.writes); };
  // While this access waits, for what it has opened now or opens later, another may write where a
  // value lies. It keeps its address then only in memory of its own.
  const auto settle = [&](const BufferUse& use) {
    if (use.buffer->is_value() && !is_busy(use)) use.buffer->copy_value(stream_);
    return is_busy(use);
  };
  while (Buffer::is_any_in_long_use() && any_use(settle)) yield_to_host_work(outer_);
  // All buffers are ordered anew, because another access may have used one while this one waited.
  any_use([&](const BufferUse& use) {
    use.buffer->order(stream_, use.writes);
    return false;
  });
}

void BufferAccess::settle(Buffer& buffer, bool writes) {
  if (!buffer.is_deferred() && !(writes && buffer.is_read_later())) return;
  if (!locked_ || stack.depth > 1) return buffer.run_deferred(writes);
  const bool is_alone = stack.slot == nullptr;
  stack.innermost = outer_;
  release_submission_lock();
  locked_ = false;
  buffer.run_deferred(writes);
  acquire_slot(*stream_);
  locked_ = true;
  outer_ = std::exchange(stack.innermost, this);
  if (is_alone) exclude_others();
  order();
}

void BufferAccess::open(std::span<const BufferUse> uses) {
  if (settles_) [[unlikely]]
    for (const BufferUse& use : uses) settle(*use.buffer, use.writes);
  for (const BufferUse& use : uses)
    if (use.buffer->lacks_memory()) use.buffer->take_memory();
  if (!locked_) return;
  bool ordered = true;
  if (uses.size() > kFew) more_uses_.reserve(more_uses_.size() + uses.size());
  for (const BufferUse& use : uses) {
    if (capture_ != nullptr) {
      open_in_capture(*use.buffer, use.writes);
      continue;
    }
    note(use);
    ordered = ordered && use.buffer->is_used_only_on(*stream_);
  }
  if (!ordered) order();
}

void BufferAccess::open_in_capture(Buffer& buffer, bool writes) {
  if (buffer.is_value()) buffer.copy_value(stream_);
  Buffer& owner = buffer.owner_of_uses();
  if (&owner != &buffer) capture_->keep(buffer.shared_from_this());
  capture_->use(owner, stream_, writes);
}

void BufferAccess::unlock_for_host_work() {
  if (!locked_ || capture_ != nullptr) return;
  begin_long_uses();
  unlocked_for_host_work_ = true;
  locked_ = false;
  stack.innermost = outer_;
  release_submission_lock();
}

StreamPtr pending_stream(Buffer& buffer) {
  buffer.run_deferred(true);
  if (buffer.device().is_cpu()) return buffer.writer();
  require_driver();
  struct Held {
    ~Held() { release_submission_lock(); }
  };
  // The slot of this thread's stream is enough to see that all uses are on it.
  const StreamPtr& current = current_stream(buffer.device());
  if (!current->is_borrowed() && !current->is_capturing()) {
    BufferAccess::acquire_slot(*current);
    const Held held;
    if (buffer.is_used_only_on(*current)) return current;
  }
  BufferAccess::acquire_all();
  const Held held;
  while (buffer.is_in_long_use(true)) BufferAccess::yield_to_host_work(stack.innermost);
  // A borrowed stream's event would not cover the work that the stream is made to wait for.
  const StreamPtr& writer = buffer.writer();
  StreamPtr stream = writer->is_borrowed() ? main_stream(buffer.device()) : writer;
  buffer.order(stream, true);
  return stream;
}

}  // namespace gpuarray
