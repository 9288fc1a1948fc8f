// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/access.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "runtime/blocking.hpp"
#include "runtime/capture.hpp"
#include "runtime/driver.hpp"
#include "runtime/driver_error.hpp"
#include "runtime/main_stream.hpp"

namespace gpuarray {
namespace {

// Guards the uses of all buffers, and the order in which work is queued. Never destroyed.
struct Turn {
  std::mutex mutex;
  std::condition_variable passed;  // an access that let others pass has closed
};

Turn& turn() {
  static Turn& made = *new Turn;
  return made;
}

// Turns of this thread, one in another: a user's allocator may use arrays.
constinit thread_local int depth = 0;
constinit thread_local BufferAccess* innermost = nullptr;

void take_turn() {
  if (depth == 0) {
    std::mutex& mutex = turn().mutex;
    if (!mutex.try_lock()) blocking([&] { mutex.lock(); });
  }
  ++depth;
}

void end_turn() {
  if (--depth == 0) turn().mutex.unlock();
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
    capture_ = stream->capture();
}

BufferAccess::~BufferAccess() {
  if (passed_) {
    take_turn();
    locked_ = true;
    any_use([](const BufferUse& use) {
      use.buffer->end_long_use(use.writes);
      return false;
    });
    turn().passed.notify_all();
  }
  if (!locked_) return;
  quietly([&] { stream_->mark_if_borrowed(); });
  if (!passed_) {
    // Those that gpuarray.h opens may be closed in any order.
    BufferAccess** place = &innermost;
    while (*place != nullptr && *place != this) place = &(*place)->outer_;
    *place = outer_;
  }
  end_turn();
}

void BufferAccess::let_others_close(BufferAccess* innermost) {
  const auto for_each_use = [&](auto&& function) {
    for (const BufferAccess* open = innermost; open != nullptr; open = open->outer_)
      open->any_use([&](const BufferUse& use) {
        function(use);
        return false;
      });
  };
  for_each_use([](const BufferUse& use) { use.buffer->begin_long_use(use.writes); });
  blocking([] {
    std::unique_lock held(turn().mutex, std::adopt_lock);
    turn().passed.wait(held);
    held.release();
  });
  for_each_use([](const BufferUse& use) { use.buffer->end_long_use(use.writes); });
  if (innermost != nullptr) turn().passed.notify_all();
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
  any_use([](const BufferUse& use) {
    use.buffer->begin_long_use(use.writes);
    return false;
  });
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
