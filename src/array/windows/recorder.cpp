// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How a recorder records operations; run.cpp runs them.
#include "array/windows/recorder.hpp"

#include <algorithm>
#include <utility>

#include "backend/tuning.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// Where several threads record, it makes one step of the look at the marks that others set and the
// setting of one's own. It is taken under the lock of a recorder.
constinit SpinLock marking;

// Whether the operation may wait, whatever waits already.
bool may_join(const Joining& joining, const Stream& stream, Fusion now) {
  const Array& target = joining.target;
  if (target.device().is_cpu()) {
    if (now == Fusion::automatic && target.nbytes() < kHostLeastBytes) return false;
  } else if (!stream.owned() || stream.is_capturing() || launch_mode() != 0) {
    return false;
  }
  if (!target.writable() || target.buffer()->has_values() || !can_wait(target, target.shape()))
    return false;
  for (const Operand& operand : joining.operands)
    if (const Array* array = operand.array();
        array != nullptr &&
        !can_wait(*array, joining.maps.empty() ? joining.whole().shape() : array->shape()))
      return false;
  return true;
}

// Whether running the operation has to wait for the long use that the memory is in.
bool must_wait_for(const Buffer& used, const Joining& joining) {
  if (joining.target.buffer().get() == &used) return true;
  const auto reads = [&](const Operand& operand) {
    return operand.array() != nullptr && operand.array()->buffer()->lies_in(used);
  };
  return used.is_in_long_use(false) && std::ranges::any_of(joining.operands, reads);
}

}  // namespace

constinit thread_local OfThread of_thread;

std::string names_of(const Steps& steps) {
  std::string names;
  for (size_t i = 0; i < steps.steps.size(); ++i)
    names += (names.empty() ? "" : " ") + std::string(steps.name_of(i));
  return names;
}

Recorder::Recorder()
    : window_(std::make_unique<Window>(*this)),
      spare_(std::make_unique<Window>(*this)),
      sketch_(std::make_unique<Window>(*this, Window::Kind::sketch)) {}

void Recorder::change_state(Deferred value) {
  // Another thread that could see the work has been told of it in some way, and so of this.
  if (state_.load(std::memory_order_relaxed) != value)
    state_.store(value, std::memory_order_release);
  Deferred seen = deferred.load(std::memory_order_relaxed);
  while (seen != value && seen != Deferred::by_thread &&
         !deferred.compare_exchange_weak(seen, value, std::memory_order_release)) {
  }
}

void Recorder::update_state() {
  const bool waits = !window_->empty() || runner_ != 0 || failure_ != nullptr;
  Deferred watched = prediction_.is_open() ? Deferred::history : Deferred::nothing;
  if (sketched_ != nullptr) watched = Deferred::sketch;
  set_state(waits ? Deferred::work : watched);
}

void Recorder::run_or_end_history(EndReason reason) {
  Deferred seen = Deferred::history;
  if (state_.compare_exchange_strong(seen, Deferred::nothing) || seen == Deferred::nothing)
    return set_state(Deferred::nothing);
  if (!InWindow::here()) run_all(reason);
}

void Recorder::end_history_before_access() {
  const Deferred seen = state_.load(std::memory_order_relaxed);
  if (seen == Deferred::history || seen == Deferred::sketch) run_or_end_history(EndReason::access);
}

bool Recorder::settle_others(const Array& array, bool writes) {
  const Buffer& buffer = *array.buffer();
  bool others = buffer.is_deferred() && buffer.deferred_by() != this;
  if (!others && writes && buffer.is_read_later()) {
    const LockGuard lock(lock_);
    others = buffer.deferred_reads() > window_->holds(&buffer);
  }
  if (others) buffer.run_deferred(writes);
  return others;
}

bool Recorder::settle_others(const Joining& joining) {
  bool has_run = settle_others(joining.target, true);
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr) has_run |= settle_others(*operand.array(), false);
  return has_run;
}

bool Recorder::settle_others(const Reducing& reducing) {
  const bool has_run = settle_others(reducing.target, true);
  return settle_others(reducing.source, false) || has_run;
}

bool Recorder::is_taken(const Joining& joining) const {
  const auto is_of_others = [&](const Array& array) {
    const Buffer& buffer = *array.buffer();
    return (buffer.is_deferred() && buffer.deferred_by() != this) || !buffer.is_private();
  };
  const Buffer& target = *joining.target.buffer();
  if (is_of_others(joining.target) || target.has_values() ||
      target.deferred_reads() > window_->holds(&target))
    return true;
  return std::ranges::any_of(joining.operands, [&](const Operand& operand) {
    return operand.array() != nullptr && is_of_others(*operand.array());
  });
}

bool Recorder::add_unless_taken(const Joining& joining) {
  const auto add = [&]() REQUIRES(lock_) {
    set_state(Deferred::work);  // before the result is marked
    window_->add(joining);
  };
  if (deferred.load(std::memory_order_relaxed) != Deferred::by_thread) {
    add();
    return true;
  }
  const LockGuard lock(marking);
  if (is_taken(joining)) return false;
  add();
  return true;
}

bool Recorder::is_room(const Joining& joining, const Stream& stream) {
  return runner_ == 0 && !window_->empty() && tested != TestedWindows::adversary &&
         window_->is_of(joining, stream) && window_->room_for(joining) == Window::Room::yes;
}

bool Recorder::make_room(const Joining& joining, const StreamPtr& stream) {
  for (bool is_first = true;; is_first = false) {
    const bool has_waited = !is_first || runner_ != 0;
    while (runner_ != 0) wait_for_runner();
    if (window_->empty()) {
      window_->open(shape_of(joining), stream);
      return has_waited;
    }
    EndReason reason = EndReason::conflict;
    if (!window_->is_of(joining, *stream)) {
      reason = window_->is_on(*stream) ? EndReason::shape : EndReason::stream;
    } else if (tested == TestedWindows::adversary && random_() % 4 == 0) {
      const size_t cut = 1 + random_() % window_->size();
      run_window(EndReason::chance, [&](const Window& taken) { return taken.best_cut(cut, cut); });
      continue;
    } else if (const Window::Room room = window_->room_for(joining); room == Window::Room::yes) {
      return has_waited;
    } else if (room == Window::Room::is_full) {
      run_window(EndReason::full, [](const Window& taken) { return taken.best_cut(); });
      continue;
    }
    end_history();
    run_window(reason);
  }
}

bool Recorder::is_beside(const Joining& joining) {
  if (reductions_ == 0 || window_->empty() || joining.reduction != nullptr ||
      joining.target.size() * kBesideShare > window_->steps().size)
    return false;
  const auto waits = [](const Array& array) { return array.buffer()->is_deferred(); };
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && waits(*operand.array())) return false;
  return !waits(joining.target) && !joining.target.buffer()->is_read_later();
}

bool Recorder::run_beside(const Joining& joining, const StreamPtr& stream) {
  if (!is_beside(joining)) return false;
  bool runs = false;
  const TakeWindow take = [&]() REQUIRES(lock_) -> std::unique_ptr<Window> {
    if (!is_beside(joining)) return nullptr;
    spare_->open(joining.target.shape(), stream);
    spare_->add(joining);
    runs = true;
    return std::move(spare_);
  };
  const MustWait must_wait = [&](const Buffer& used) { return must_wait_for(used, joining); };
  Run run{stream, Steps::Way::alone, std::nullopt, runs_, take, must_wait};
  run_taken(run);
  return runs;
}

// Runs what other threads have pending that the operation needs. Returns whether it may still wait.
[[gnu::noinline]] bool Recorder::may_join_beside(const Joining& joining, const StreamPtr& current,
                                                 Fusion now) {
  const StreamPtr stream = current;  // what runs may choose another one
  return !settle_others(joining) || (stream == current && may_join(joining, *stream, now));
}

bool Recorder::join(const Joining& joining, const StreamPtr& current, Fusion now) {
  if (deferred.load(std::memory_order_relaxed) == Deferred::by_thread) [[unlikely]]
    if (!may_join_beside(joining, current, now)) return false;
  const LockGuard lock(lock_);
  return record(joining, current, now);
}

bool Recorder::record(const Joining& joining, const StreamPtr& current, Fusion now) {
  std::optional<Prediction::Next> next;
  if (now != Fusion::automatic)
    next = Prediction::Next::another;
  else if (is_idle() && !is_followed(joining, current, next))
    return false;
  if (reductions_ != 0 && run_beside(joining, current)) return true;
  if (!is_room(joining, *current)) {
    const StreamPtr stream = current;  // what runs may choose another one
    if (make_room(joining, stream) && !may_join(joining, *stream, now)) return false;
  }
  if (!next) {
    watch_history();
    next = predict(joining);
    const bool is_first = window_->empty();
    if (is_first ? !begins_to_wait(*next) : !follows_plan()) {
      if (is_first || end_plan(*next) != nullptr) add_to_sketch(joining, current);
      window_->close();
      return false;
    }
  }
  if (!add_unless_taken(joining)) {
    end_history();
    run_window(EndReason::needed);
    window_->close();
    return false;
  }
  if (now == Fusion::automatic) window_->set_plan(prediction_.last()->plan);
  deaths_ = awaited_deaths_ = reductions_ = 0;
  if (keeps_much(joining.target.nbytes()))
    run_window(EndReason::memory);
  else
    await_end(*next);
  return true;
}

bool Recorder::leave(StreamPtr& released) {
  std::vector<BufferPtr> none;
  released = sketch_->stream();
  sketch_->clear(none);
  sketched_ = nullptr;
  prediction_.end();
  update_state();
  return state_ == Deferred::work;
}

void Recorder::forget_threads() {
  if (runner_ != this_thread_number()) runner_ = 0;
  if (spare_ == nullptr) spare_ = std::make_unique<Window>(*this);
  std::vector<BufferPtr> released;
  window_->mark_results(released);
  sketch_->clear(released);
  sketched_ = nullptr;
  update_state();
}

bool Recorder::reads(const Buffer& buffer) {
  const LockGuard lock(lock_);
  return runner_ != 0 || window_->holds(&buffer) > 0;
}

FusionStats Recorder::stats() {
  const LockGuard lock(lock_);
  return stats_;
}

void Recorder::seed(unsigned number) {
  const LockGuard lock(lock_);
  random_.seed(number);
}

bool Recorder::has_room_for_rows(const Joining& joining, const Stream& stream) {
  const LockGuard lock(lock_);
  Window& group = window_->empty() ? *sketch_ : *window_;
  return group.empty() || group.maker(*joining.whole().buffer()) < 0 ||
         (group.is_of(joining, stream) && group.room_for(joining) == Window::Room::yes);
}

bool has_room_for_rows(const Joining& joining) {
  Recorder* const recorder = Recorder::here();
  return recorder == nullptr ||
         recorder->has_room_for_rows(joining, *current_stream(joining.target.device()));
}

bool join(const Joining& joining) {
  OfThread& here = of_thread;
  if (here.is_in_window) return false;
  const Fusion now = mode.load(std::memory_order_relaxed);
  const StreamPtr& current = current_stream(joining.target.device());
  if (!may_join(joining, *current, now)) {
    // Its access runs the window where operations wait, so it ends the history where none do.
    if (here.recorder != nullptr) here.recorder->end_history_before_access();
    return false;
  }
  Recorder* const recorder = here.recorder != nullptr ? here.recorder : Recorder::make_here();
  return recorder != nullptr && recorder->join(joining, current, now);
}

}  // namespace gpuarray::ops
