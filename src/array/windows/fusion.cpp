// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/fusion.hpp"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include "array/joining.hpp"
#include "array/operand.hpp"
#include "array/windows/process_window.hpp"
#include "array/windows/reducing.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// Operations of the cpu device on fewer bytes take less time than joining saves.
constexpr int64_t kLeastBytes = int64_t{64} << 10;
// Operations on this part of a window's elements run beside it while it waits after a reduction.
constexpr int64_t kBesideShare = 4;
constexpr const char* kModes[] = {"off", "auto", "always"};
constexpr const char* kTested[] = {"no", "replay", "compiled", "adversary"};

// Whether the operation may wait, whatever waits already.
bool may_join(const Joining& joining, const Stream& stream, Fusion now) {
  const Array& target = joining.target;
  if (target.device().is_cpu()) {
    if (now == Fusion::automatic && target.nbytes() < kLeastBytes) return false;
  } else if (!stream.owned() || stream.is_capturing() || launch_mode() != 0) {
    return false;
  }
  if (!target.writable() || target.buffer()->has_values() || !can_wait(target, target.shape()))
    return false;
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && !can_wait(*operand.array(), target.shape())) return false;
  return true;
}

// Whether the operation can join what waits, with nothing run before.
bool is_room(const Joining& joining, const Stream& stream) {
  Window& window = *state->window;
  return state->running == 0 && !window.empty() && tested != TestedWindows::adversary &&
         window.is_of(joining.target.shape(), stream) &&
         window.room_for(joining) == Window::Room::yes;
}

// Runs what the operation cannot join. Afterwards it can join what is left. Returns whether other
// threads may have run meanwhile.
bool make_room(const Joining& joining, const StreamPtr& stream, StateLock& lock) {
  for (bool is_first = true;; is_first = false) {
    const bool has_waited = !is_first || state->running > 0;
    wait_for_others(lock);
    Window& window = *state->window;
    if (window.empty()) {
      window.open(joining.target, stream);
      return has_waited;
    }
    const char* reason = nullptr;
    if (!window.is_of(joining.target.shape(), *stream)) {
      reason = "an operation of another shape or stream";
    } else if (tested == TestedWindows::adversary && state->random() % 4 == 0) {
      const size_t cut = 1 + state->random() % window.size();
      run_window(lock, "chance", [&](const Window& taken) { return taken.best_cut(cut, cut); });
      continue;
    } else if (const Window::Room room = window.room_for(joining); room == Window::Room::yes) {
      return has_waited;
    } else if (room == Window::Room::is_full) {
      run_window(lock, "its size", [](const Window& taken) { return taken.best_cut(); });
      continue;
    } else {
      reason = "an operation that uses the same memory otherwise";
    }
    end_history(lock);
    run_window(lock, reason);
  }
}

// Whether the result is written to an array that was there before.
bool is_given(const Array& target) {
  return target.buffer().use_count() > 1 + target.buffer()->deferred_reads();
}

// Returns a number for the operation, which does not tell its arrays apart.
uint64_t number_of(const Joining& joining, bool is_given) {
  const Array& target = joining.target;
  uint64_t number = joining.op ? static_cast<uint64_t>(*joining.op) + 1 : 0;
  number = number << 8 | static_cast<uint64_t>(joining.loop);
  number = number << 8 | static_cast<uint64_t>(target.dtype());
  for (const Operand& operand : joining.operands) {
    const Array* array = operand.array();
    const bool is_whole = array != nullptr && array->size() == target.size();
    number = number << 7 | static_cast<uint64_t>(array ? operand.dtype() : joining.loop);
    number = number << 2 | static_cast<uint64_t>(is_whole) << 1 | (array == nullptr);
  }
  number =
      number << 6 | static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(target.size())));
  number = number << 2 | static_cast<uint64_t>(target.device().is_cpu()) << 1 | is_given;
  return number * 0xff51afd7ed558ccdu;
}

// Returns a number for which results of the history the operation reads and writes.
uint64_t wiring_of(const Joining& joining, bool is_given) {
  uint64_t wiring = is_given ? distance_to(joining.target) : 0;
  for (const Operand& operand : joining.operands)
    wiring = wiring << 16 | (operand.array() == nullptr ? 0 : distance_to(*operand.array()));
  return wiring;
}

// Adds the operation to the history, and returns what comes next.
Prediction::Next predict(const Joining& joining) {
  const bool given = is_given(joining.target);
  begin_operation();
  const Prediction::Next next = add_operation(number_of(joining, given), wiring_of(joining, given));
  Buffer& buffer = *joining.target.buffer();
  buffer.set_written_at(state->operations);
  state->last_buffer = &buffer;
  state->last_target = joining.target.address();
  return next;
}

// Whether the operation reads what the last one wrote in another order, so that it could not have
// joined it.
bool reads_last_otherwise(const Joining& joining) {
  const auto reads = [](const Operand& operand) {
    return operand.array() != nullptr && operand.array()->buffer().get() == state->last_buffer &&
           operand.array()->address() != state->last_target;
  };
  return std::ranges::any_of(joining.operands, reads);
}

// Whether the operation, before which nothing waits, can come after those of the history.
bool can_follow_history(const Joining& joining, const Stream& stream) {
  if (!state->window->is_of(joining.target.shape(), stream) || reads_last_otherwise(joining))
    return false;
  return state->sketch->empty() || state->sketch->room_for(joining) != Window::Room::conflicts;
}

// Whether a small operation after a reduction uses no result of the history but those of
// reductions. Such an operation runs beside the waiting ones.
bool is_beside_history(const Joining& joining) {
  const auto is_new = [](const Array& array) { return distance_to(array) != 0; };
  if (state->reductions == 0 || joining.target.size() * kBesideShare > state->window->steps().size)
    return false;
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && is_new(*operand.array())) return false;
  return !is_given(joining.target) || !is_new(joining.target);
}

// Adds an operation that runs at once to the sketch, if there is one.
void add_to_sketch(const Joining& joining, const StreamPtr& stream, StateLock& lock) {
  constexpr int kMostGroups = 32;  // of a loop that does not end
  if (state->sketched == nullptr) return;
  note_sketched();
  while (state->sketched != nullptr && !state->sketch->empty() &&
         state->sketch->room_for(joining) == Window::Room::is_full) {
    if (++state->sketched_groups > kMostGroups) {
      end_sketch(lock);
      return update_deferred();
    }
    prepare_sketch(lock, [](const Window& taken) { return taken.best_cut(); });
  }
  if (state->sketched == nullptr) return;  // another thread has ended it
  if (state->sketch->empty()) {
    state->sketch->open(joining.target, stream);
    state->sketch->set_plan(state->sketched);
  }
  state->sketch->add(joining, step_of(joining));
  set_deferred(Deferred::sketch);
}

// Whether nothing waits or runs.
bool is_idle() { return state->window->empty() && state->running == 0; }

// Adds an operation before which nothing waits to the history. Returns whether it is to wait. Tells
// in `next` what comes next, if the operation was added.
bool is_followed(const Joining& joining, const StreamPtr& stream, StateLock& lock,
                 std::optional<Prediction::Next>& next) {
  watch_history();
  while (state->prediction.is_open()) {
    if (is_beside_history(joining)) return false;
    if (can_follow_history(joining, *stream)) break;
    end_history(lock);
    update_deferred();
    if (!is_idle()) return true;  // of another thread
    watch_history();
  }
  if (!state->prediction.is_open()) {
    state->reductions = 0;
    if (!state->window->is_of(joining.target.shape(), *stream))
      state->window->open(joining.target, *stream);
  }
  next = predict(joining);
  state->deaths = state->reductions = 0;
  if (begins_to_wait(*next)) return true;
  add_to_sketch(joining, stream, lock);
  return false;
}

// Whether the operation, on what a reduction of the window gave, touches nothing that waits, so
// that it can run before it.
bool is_beside(const Joining& joining) {
  const Window& window = *state->window;
  if (state->reductions == 0 || window.empty() ||
      joining.target.size() * kBesideShare > window.steps().size)
    return false;
  const auto waits = [](const Array& array) { return array.buffer()->is_deferred(); };
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && waits(*operand.array())) return false;
  return !waits(joining.target) && !joining.target.buffer()->is_read_later();
}

// Whether running the operation has to wait for the long use that the memory is in.
bool must_wait_for(const Buffer& used, const Joining& joining) {
  if (joining.target.buffer().get() == &used) return true;
  const auto reads = [&](const Operand& operand) {
    return operand.array() != nullptr && operand.array()->buffer()->lies_in(used);
  };
  return used.is_in_long_use(false) && std::ranges::any_of(joining.operands, reads);
}

// Runs an operation while the window waits. Returns false, with nothing done, if it cannot.
bool run_beside(const Joining& joining, const Step& step, const StreamPtr& stream,
                StateLock& lock) {
  if (!is_beside(joining)) return false;
  bool runs = false;
  const auto take = [&]() -> std::unique_ptr<Window> {
    if (!is_beside(joining)) return nullptr;
    state->spare->open(joining.target, stream);
    state->spare->add(joining, step);
    runs = true;
    return std::move(state->spare);
  };
  run_taken(lock, stream, Steps::Way::alone, nullptr, take,
            [&](const Buffer& used) { return must_wait_for(used, joining); });
  return runs;
}

// Adds an operation to the window, if it can wait.
bool join(const Joining& joining) {
  if (InWindow::here()) return false;
  const Fusion now = mode.load(std::memory_order_relaxed);
  const StreamPtr& current = current_stream(joining.target.device());
  if (!may_join(joining, *current, now)) {
    // Its access runs the window where operations wait, so it ends the history where none do.
    if (const Deferred seen = deferred.load(std::memory_order_relaxed);
        seen == Deferred::history || seen == Deferred::sketch)
      run_deferred();
    return false;
  }
  StateLock lock(state->lock);
  std::optional<Prediction::Next> next;
  if (now != Fusion::automatic)
    next = Prediction::Next::another;
  else if (is_idle() && !is_followed(joining, current, lock, next))
    return false;
  const Step step = step_of(joining);
  if (run_beside(joining, step, current, lock)) return true;
  if (!is_room(joining, *current)) {
    const StreamPtr stream = current;  // what runs may choose another one
    if (make_room(joining, stream, lock) && !may_join(joining, *stream, now)) return false;
  }
  if (!next) {
    watch_history();
    next = predict(joining);
    const bool is_first = state->window->empty();
    if (is_first ? !begins_to_wait(*next) : !follows_plan()) {
      if (is_first)
        add_to_sketch(joining, current, lock);
      else
        end_plan(lock);
      state->window->close();
      return false;
    }
  }
  set_deferred(Deferred::work);  // before the result is marked
  state->window->add(joining, step);
  if (now == Fusion::automatic) state->window->set_plan(state->prediction.last()->plan);
  state->deaths = state->awaited_deaths = state->reductions = 0;
  if (keeps_much(joining.target.nbytes()))
    run_window(lock, "memory that only it keeps");
  else
    await_end(*next, lock);
  return true;
}

}  // namespace

Fusion fusion() { return mode; }

const char* name(Fusion mode) { return kModes[static_cast<int>(mode)]; }

void set_fusion(const std::string& name, const char* what) {
  const auto found = std::ranges::find(kModes, name);
  if (found == std::end(kModes))
    throw ValueError(std::string(what) + ": expected auto, off or always, got '" + name + "'");
  run_all();
  const std::lock_guard lock(state->lock);
  mode = static_cast<Fusion>(found - std::begin(kModes));
  tested = mode == Fusion::always ? state->wanted_by_tests : TestedWindows::no;
  join_hook = mode == Fusion::off ? nullptr : join;
  reduce_hook = mode == Fusion::off ? nullptr : reduce_waiting;
}

namespace {

// A child of fork has the window that waits, but not the threads that run others. A window that the
// forking thread runs, in a user's allocator, goes on in the child.
void forget_threads() {
  new (&state->ended) std::condition_variable_any;
  state->running = runs_window_here() ? 1 : 0;
  state->turns = state->waiting = 0;
  if (state->spare == nullptr) state->spare = std::make_unique<Window>();
  std::vector<BufferPtr> released;
  state->window->mark_results(released);
  state->sketch->clear(released);
  state->sketched = nullptr;
  state->lock.unlock();
}

}  // namespace

void set_up_fusion() {
  state = new State;
  pthread_atfork([] { state->lock.lock(); }, [] { state->lock.unlock(); }, forget_threads);
  state->logs = text_variable("GPUARRAY_FUSION_LOG") == "1";
  set_deferred_hook(run_all);
  const std::string wanted = text_variable("GPUARRAY_FUSION");
  set_fusion(wanted.empty() ? name(Fusion::automatic) : wanted, "GPUARRAY_FUSION");
}

const char* test_windows(const std::string& name) {
  const std::string prefix = name.substr(0, name.find(':'));
  const auto found = std::ranges::find(kTested, prefix);
  if (found == std::end(kTested)) throw ValueError("no way of windows: '" + name + "'");
  run_all();
  const std::lock_guard lock(state->lock);
  if (prefix != name)
    state->random.seed(
        static_cast<unsigned>(std::strtoul(name.c_str() + prefix.size() + 1, nullptr, 10)));
  const auto wanted = static_cast<TestedWindows>(found - std::begin(kTested));
  const TestedWindows before = std::exchange(state->wanted_by_tests, wanted);
  tested = mode == Fusion::always ? wanted : TestedWindows::no;
  return kTested[static_cast<int>(before)];
}

void forget_sequences() {
  run_all();
  const std::lock_guard lock(state->lock);
  state->prediction.forget();
}

FusionStats fusion_stats() {
  const std::lock_guard lock(state->lock);
  return state->stats;
}

}  // namespace gpuarray::ops
