// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/access.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <ranges>
#include <utility>

#include "runtime/buffer/capture.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

constexpr int kSharesBits = 32;
constexpr uint64_t kShares = (uint64_t{1} << kSharesBits) - 1;

// Guards the uses of all buffers and the order in which work is queued. The lock is held by one
// thread, by one share for all accesses on its stack and one for each of its detached accesses;
// whoever closes a detached access gives that share back, on whatever thread. Never destroyed.
struct SubmissionLock {
  std::atomic<uint64_t> holder = 0;  // the thread's number and its shares; 0 if the lock is free
  std::atomic<uint32_t> host_work_done = 0;  // number of accesses with host work that were closed
  std::mutex mutex;                          // guards `detached` and BufferAccess::suspended_
  std::vector<BufferAccess*> detached;
};

SubmissionLock& submission_lock() {
  static SubmissionLock& made = *new SubmissionLock;
  return made;
}

// The number of accesses on this thread's stack. They can be nested, because a user's allocator may
// use arrays.
constinit thread_local int depth = 0;
constinit thread_local BufferAccess* innermost = nullptr;

// Takes a share if the lock is free or this thread's.
bool try_acquire() {
  std::atomic<uint64_t>& holder = submission_lock().holder;
  const uint64_t own = this_thread_number() << kSharesBits;
  uint64_t seen = holder.load();
  while (seen == 0 || (seen & ~kShares) == own)
    if (holder.compare_exchange_weak(seen, (seen == 0 ? own : seen) + 1)) return true;
  return false;
}

void release_share() {
  std::atomic<uint64_t>& holder = submission_lock().holder;
  uint64_t seen = holder.load(), left = 0;
  do {
    left = (seen & kShares) == 1 ? 0 : seen - 1;
  } while (!holder.compare_exchange_weak(seen, left));
  if (left == 0) holder.notify_all();
}

// Waits until done() succeeds; asks again whenever the lock becomes free.
template <class Done>
void wait_until_free(const Done& done) {
  for (uint64_t seen = submission_lock().holder.load(); !done();
       seen = submission_lock().holder.load())
    if (seen != 0) submission_lock().holder.wait(seen);
}

void acquire_submission_lock() {
  if (depth == 0 && !try_acquire()) blocking([] { wait_until_free(try_acquire); });
  ++depth;
}

void release_submission_lock() {
  if (--depth == 0) release_share();
}

void note_host_work_done() {
  ++submission_lock().host_work_done;
  submission_lock().host_work_done.notify_all();
}

}  // namespace

BufferAccess::BufferAccess(const StreamPtr& stream) : stream_(stream) {
  // Later nothing may be waited for that other threads run, because they may wait for the lock.
  // What they defer from now on comes after this access.
  if (is_work_deferred() && depth == 0) [[unlikely]]
    run_deferred();
  if (stream->device().is_cpu()) return;
  require_driver();
  refuse_foreign_capture(*stream);
  acquire_submission_lock();
  locked_ = true;
  outer_ = std::exchange(innermost, this);
  if (stream->is_capturing()) [[unlikely]]
    capture_ = capture_of(*stream);
}

bool BufferAccess::is_any_open_here() { return depth > 0; }

BufferAccess::~BufferAccess() {
  if (unlocked_for_host_work_) {
    acquire_submission_lock();
    locked_ = true;
    end_long_uses();
    note_host_work_done();
  }
  if (!locked_) return;
  quietly([&] { stream_->record_use_if_borrowed(); });
  if (detached_by_ != 0) {
    close_detached();
    return;
  }
  if (!unlocked_for_host_work_) innermost = outer_;
  release_submission_lock();
}

void BufferAccess::detach_from_thread() {
  if (!locked_) return;
  std::lock_guard lock(submission_lock().mutex);
  submission_lock().detached.push_back(this);
  detached_by_ = this_thread_number();
  innermost = outer_;
  try_acquire();  // succeeds, because this thread holds the lock
  release_submission_lock();
}

void BufferAccess::close_detached() {
  const auto close = [&] {
    std::lock_guard lock(submission_lock().mutex);
    if (suspended_) return false;
    std::erase(submission_lock().detached, this);
    release_share();
    return true;
  };
  if (close()) return;
  // A suspended access has no share, and its uses may only be ended by the holder of the lock. Its
  // thread may take the lock back before this one does.
  bool closed = false;
  blocking([&] { wait_until_free([&] { return (closed = close()) || try_acquire(); }); });
  if (closed) return;
  std::lock_guard lock(submission_lock().mutex);
  std::erase(submission_lock().detached, this);
  end_long_uses();
  release_share();
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
  SubmissionLock& lock_state = gpuarray::submission_lock();
  const uint64_t number = this_thread_number();
  const auto is_own = [&](const BufferAccess* access) { return access->detached_by_ == number; };
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_)
    open->begin_long_uses();
  const uint32_t host_work_done = lock_state.host_work_done;
  {
    std::lock_guard lock(lock_state.mutex);
    for (BufferAccess* detached : lock_state.detached | std::views::filter(is_own)) {
      detached->begin_long_uses();
      detached->suspended_ = true;
    }
    lock_state.holder = 0;
  }
  lock_state.holder.notify_all();
  bool any_detached = false;
  const auto resume = [&] {
    std::lock_guard lock(lock_state.mutex);
    const uint64_t detached =
        static_cast<uint64_t>(std::ranges::count_if(lock_state.detached, is_own));
    uint64_t free = 0;
    if (!lock_state.holder.compare_exchange_strong(free, (number << kSharesBits) + 1 + detached))
      return false;
    for (BufferAccess* access : lock_state.detached | std::views::filter(is_own)) {
      access->end_long_uses();
      access->suspended_ = false;
    }
    any_detached = detached != 0;
    return true;
  };
  blocking([&] {
    lock_state.host_work_done.wait(host_work_done);
    wait_until_free(resume);
  });
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_) open->end_long_uses();
  if (innermost != nullptr || any_detached) note_host_work_done();
}

void BufferAccess::order() {
  const auto is_busy = [](const BufferUse& use) { return use.buffer->is_in_long_use(use.writes); };
  while (any_use(is_busy)) yield_to_host_work(outer_);
  // All buffers are ordered anew, because another access may have used one while this one waited.
  any_use([&](const BufferUse& use) {
    use.buffer->order(stream_, use.writes);
    return false;
  });
}

void BufferAccess::open(std::span<const BufferUse> uses) {
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
  capture_->use(buffer, stream_, writes);
}

void BufferAccess::unlock_for_host_work() {
  if (!locked_ || capture_ != nullptr) return;
  begin_long_uses();
  unlocked_for_host_work_ = true;
  locked_ = false;
  innermost = outer_;
  release_submission_lock();
}

StreamPtr pending_stream(Buffer& buffer) {
  if (buffer.device().is_cpu()) return buffer.writer();
  require_driver();
  struct Held {
    Held() { acquire_submission_lock(); }
    ~Held() { release_submission_lock(); }
  } held;
  while (buffer.is_in_long_use(true)) BufferAccess::yield_to_host_work(innermost);
  // A borrowed stream's event would not cover the work that the stream is made to wait for.
  const StreamPtr& writer = buffer.writer();
  StreamPtr stream = writer->is_borrowed() ? main_stream(buffer.device()) : writer;
  buffer.order(stream, true);
  return stream;
}

}  // namespace gpuarray
