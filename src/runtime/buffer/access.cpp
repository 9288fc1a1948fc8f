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

// Guards the uses of all buffers, and the order in which work is queued. A thread holds one share
// for all that it opens on its stack, and one for each access that it has lent; who closes such an
// access gives the share back, on whatever thread. Never destroyed.
struct Turn {
  std::atomic<uint64_t> holder = 0;  // the thread's number and its shares; 0: the turn is free
  std::atomic<uint32_t> passed = 0;  // how many accesses that let others pass have closed
  std::mutex mutex;                  // guards `lent`, and what is suspended
  std::vector<BufferAccess*> lent;
};

Turn& turn() {
  static Turn& made = *new Turn;
  return made;
}

// Turns on this thread's stack, one in another: a user's allocator may use arrays.
constinit thread_local int depth = 0;
constinit thread_local BufferAccess* innermost = nullptr;

bool try_share() {
  std::atomic<uint64_t>& holder = turn().holder;
  const uint64_t own = this_thread_number() << kSharesBits;
  uint64_t seen = holder.load();
  while (seen == 0 || (seen & ~kShares) == own)
    if (holder.compare_exchange_weak(seen, (seen == 0 ? own : seen) + 1)) return true;
  return false;
}

void end_share() {
  std::atomic<uint64_t>& holder = turn().holder;
  uint64_t seen = holder.load(), left = 0;
  do {
    left = (seen & kShares) == 1 ? 0 : seen - 1;
  } while (!holder.compare_exchange_weak(seen, left));
  if (left == 0) holder.notify_all();
}

// Waits for a free turn until done().
template <class Done>
void wait_for_turn(const Done& done) {
  for (uint64_t seen = turn().holder.load(); !done(); seen = turn().holder.load())
    if (seen != 0) turn().holder.wait(seen);
}

void take_turn() {
  if (depth == 0 && !try_share()) blocking([] { wait_for_turn(try_share); });
  ++depth;
}

void end_turn() {
  if (--depth == 0) end_share();
}

void note_passed() {
  ++turn().passed;
  turn().passed.notify_all();
}

}  // namespace

BufferAccess::BufferAccess(const StreamPtr& stream) : stream_(stream) {
  if (stream->device().is_cpu()) return;
  require_driver();
  refuse_foreign_capture(*stream);
  take_turn();
  locked_ = true;
  outer_ = std::exchange(innermost, this);
  if (stream->is_capturing()) [[unlikely]]
    capture_ = capture_of(*stream);
}

BufferAccess::~BufferAccess() {
  if (passed_) {
    take_turn();
    locked_ = true;
    end_long_uses();
    note_passed();
  }
  if (!locked_) return;
  quietly([&] { stream_->mark_if_borrowed(); });
  if (lent_by_ != 0) {
    close_lent();
    return;
  }
  if (!passed_) innermost = outer_;
  end_turn();
}

void BufferAccess::lend() {
  if (!locked_) return;
  std::lock_guard lock(turn().mutex);
  turn().lent.push_back(this);
  lent_by_ = this_thread_number();
  innermost = outer_;
  try_share();  // succeeds: the turn is this thread's
  end_turn();
}

void BufferAccess::close_lent() {
  const auto close = [&] {
    std::lock_guard lock(turn().mutex);
    if (suspended_) return false;
    std::erase(turn().lent, this);
    end_share();
    return true;
  };
  if (close()) return;
  // What is suspended has no share, and uses that only the holder of the turn may end. Its thread
  // may take the turn back first.
  bool closed = false;
  blocking([&] { wait_for_turn([&] { return (closed = close()) || try_share(); }); });
  if (closed) return;
  std::lock_guard lock(turn().mutex);
  std::erase(turn().lent, this);
  end_long_uses();
  end_share();
  note_passed();
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

void BufferAccess::let_others_close(BufferAccess* innermost) {
  Turn& turn = gpuarray::turn();
  const uint64_t number = this_thread_number();
  const auto is_own = [&](const BufferAccess* access) { return access->lent_by_ == number; };
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_)
    open->begin_long_uses();
  const uint32_t passed = turn.passed;
  {
    std::lock_guard lock(turn.mutex);
    for (BufferAccess* lent : turn.lent | std::views::filter(is_own)) {
      lent->begin_long_uses();
      lent->suspended_ = true;
    }
    turn.holder = 0;
  }
  turn.holder.notify_all();
  bool any_lent = false;
  const auto resume = [&] {
    std::lock_guard lock(turn.mutex);
    const uint64_t lent = static_cast<uint64_t>(std::ranges::count_if(turn.lent, is_own));
    uint64_t free = 0;
    if (!turn.holder.compare_exchange_strong(free, (number << kSharesBits) + 1 + lent))
      return false;
    for (BufferAccess* access : turn.lent | std::views::filter(is_own)) {
      access->end_long_uses();
      access->suspended_ = false;
    }
    any_lent = lent != 0;
    return true;
  };
  blocking([&] {
    turn.passed.wait(passed);
    wait_for_turn(resume);
  });
  for (BufferAccess* open = innermost; open != nullptr; open = open->outer_) open->end_long_uses();
  if (innermost != nullptr || any_lent) note_passed();
}

void BufferAccess::order() {
  const auto is_busy = [](const BufferUse& use) { return use.buffer->is_in_long_use(use.writes); };
  while (any_use(is_busy)) let_others_close(outer_);
  // All of them: another access may have come between while this one waited.
  any_use([&](const BufferUse& use) {
    use.buffer->order(stream_, use.writes);
    return false;
  });
}

void BufferAccess::open(std::span<const BufferUse> uses) {
  if (!locked_) return;
  bool settled = true;
  for (const BufferUse& use : uses) {
    if (capture_ != nullptr) {
      open_in_capture(*use.buffer, use.writes);
      continue;
    }
    more_uses_.push_back(use);
    settled = settled && use.buffer->is_settled_on(*stream_);
  }
  if (!settled) order();
}

void BufferAccess::open_in_capture(Buffer& buffer, bool writes) {
  capture_->use(buffer, stream_, writes);
}

void BufferAccess::let_others_pass() {
  if (!locked_ || capture_ != nullptr) return;
  begin_long_uses();
  passed_ = true;
  locked_ = false;
  innermost = outer_;
  end_turn();
}

StreamPtr pending_stream(Buffer& buffer) {
  if (buffer.device().is_cpu()) return buffer.writer();
  require_driver();
  struct Held {
    Held() { take_turn(); }
    ~Held() { end_turn(); }
  } held;
  while (buffer.is_in_long_use(true)) BufferAccess::let_others_close(innermost);
  // The mark of a borrowed stream would not cover what it is made to wait for.
  const StreamPtr& writer = buffer.writer();
  StreamPtr stream = writer->is_borrowed() ? main_stream(buffer.device()) : writer;
  buffer.order(stream, true);
  return stream;
}

}  // namespace gpuarray
