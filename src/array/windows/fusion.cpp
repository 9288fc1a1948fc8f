// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/fusion.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <random>
#include <utility>

#include "array/operand.hpp"
#include "array/windows/prediction.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// Operations of the cpu device on fewer bytes take less time than joining saves.
constexpr int64_t kLeastBytes = int64_t{64} << 10;
// The most memory that is kept for operations that wait, and would be free if they had run.
constexpr int64_t kMostKeptBytes = int64_t{64} << 20;
constexpr const char* kModes[] = {"off", "auto", "always", "replay", "compiled", "adversary"};

// The window of the process. The lock is not held while operations run, for which the window is
// exchanged for an empty one.
struct State {
  std::mutex mutex;
  std::condition_variable ended;
  std::unique_ptr<Window> window = std::make_unique<Window>();
  std::unique_ptr<Window> spare = std::make_unique<Window>();
  int running = 0;
  Prediction prediction;
  int deaths = 0;          // of results since the last operation
  int64_t kept_bytes = 0;  // that only the window keeps
  int awaited_deaths = 0;  // that the window runs after; 0 if it waits for something else
  std::exception_ptr failure;
  FusionStats stats;
  std::minstd_rand random;
  bool logs = false;
};

constinit State* state = nullptr;
constinit std::atomic<Fusion> mode = Fusion::off;
// Whether this thread runs a window, which waits for no other.
constinit thread_local bool is_in_window = false;

Steps::Way way_of(Fusion mode) {
  if (mode == Fusion::replay) return Steps::Way::alone;
  return mode == Fusion::compiled ? Steps::Way::compiled : Steps::Way::usual;
}

// Writes what a window had, and what ended it, to stderr.
void log_window(const Window& window, const FusionStats& found, const char* reason) {
  const Steps& steps = window.steps();
  std::string names;
  for (const Step& step : steps.steps)
    names += (names.empty() ? "" : " ") + std::string(step.op ? info(*step.op).name : "cast");
  std::fprintf(stderr,
               "gpuarray: window %lld on %s of %s: %lld operations, %lld unneeded, %lld not stored "
               "(%s); ended by %s\n",
               static_cast<long long>(state->stats.windows), to_string(window.device()).c_str(),
               to_string(steps.shape).c_str(), static_cast<long long>(found.operations),
               static_cast<long long>(found.unneeded), static_cast<long long>(found.temporary),
               names.c_str(), reason);
}

// Sets a flag that is often as it has to be.
void set_flag(std::atomic<bool>& flag, bool value) {
  if (flag.load(std::memory_order_relaxed) != value) flag = value;
}

// Says whether anything waits, and whether calls from Python have anything to end.
void update_flags() {
  const bool waits = !state->window->empty() || state->running > 0 || state->failure != nullptr;
  set_flag(is_work_deferred, waits);
  set_flag(are_calls_watched, waits || state->prediction.is_open());
}

// Runs the first operations of the window, whose lock is held but for that time.
void run_window(std::unique_lock<std::mutex>& lock, size_t count, const char* reason) {
  state->awaited_deaths = state->deaths = 0;
  state->kept_bytes = 0;
  if (count == 0) return;
  std::unique_ptr<Window> window = std::exchange(state->window, std::move(state->spare));
  window->move_rest(count, *state->window);
  ++state->running;
  lock.unlock();
  FusionStats found;
  std::exception_ptr failure;
  const auto run = [&] { window->run(found, way_of(mode)); };
  is_in_window = true;
  try {
    window->device().is_cpu() ? blocking(run) : run();
  } catch (...) {  // thrown again once the window is empty
    failure = std::current_exception();
  }
  is_in_window = false;
  lock.lock();
  state->stats.windows += found.windows;
  state->stats.operations += found.operations;
  state->stats.unneeded += found.unneeded;
  state->stats.temporary += found.temporary;
  if (state->logs) log_window(*window, found, reason);
  std::vector<BufferPtr> released;
  window->clear(released);
  state->window->mark_results(released);
  state->spare = std::move(window);
  --state->running;
  state->ended.notify_all();
  lock.unlock();
  released.clear();
  lock.lock();
  update_flags();
  if (failure) std::rethrow_exception(failure);
}

void run_window(std::unique_lock<std::mutex>& lock, const char* reason) {
  run_window(lock, state->window->size(), reason);
}

// Waits for the window that another thread runs. There is none when it returns, unless this thread
// has memory open, for which the other one may wait.
void wait_for_others(std::unique_lock<std::mutex>& lock) {
  while (state->running > 0 && !has_open_access()) {
    blocking([&] {
      state->ended.wait(lock, [] { return state->running == 0; });
      lock.unlock();
    });
    lock.lock();
  }
}

// Ends the history of the prediction.
void end_history() {
  if (!state->window->empty())
    state->prediction.set_deaths(static_cast<uint8_t>(std::min(state->deaths, 254)));
  state->prediction.end();
}

// Runs all that waits, before something that could see that it has not run.
void run_all() {
  if (is_in_window) return;
  std::unique_lock lock(state->mutex);
  struct Update {
    ~Update() { update_flags(); }
  } const update;
  wait_for_others(lock);
  end_history();
  run_window(lock, "a call that may see its results");
  if (state->failure) std::rethrow_exception(std::exchange(state->failure, nullptr));
}

// Whether the operand may be read later, in the order of the target's elements.
bool can_wait(const Array& array, const Shape& shape) {
  const Buffer& buffer = *array.buffer();
  if (!buffer.is_private() || (buffer.kind() != MemoryKind::device && !buffer.device().is_cpu()))
    return false;
  if (array.is_c_contiguous() || array.shape() != shape || array.ndim() < 2) return true;
  const int64_t step = array.strides()[array.ndim() - 1];
  return step == 1 || step == 0;
}

bool can_wait(const Joining& joining, const Stream& stream, Fusion now) {
  const Array& target = joining.target;
  if (target.device().is_cpu()) {
    if (now == Fusion::automatic && target.nbytes() < kLeastBytes) return false;
  } else if (!stream.owned() || stream.is_capturing() || launch_mode() != 0) {
    return false;
  }
  if (!target.writable() || !can_wait(target, target.shape())) return false;
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && !can_wait(*operand.array(), target.shape())) return false;
  return true;
}

// Runs what the operation cannot join. Afterwards it can join what is left.
void make_room(const Joining& joining, const StreamPtr& stream, uint32_t kinds,
               std::unique_lock<std::mutex>& lock) {
  const Shape& shape = joining.target.shape();
  for (;;) {
    wait_for_others(lock);
    Window& window = *state->window;
    if (window.empty()) {
      if (!window.is_of(shape, *stream, kinds)) window.open(shape, stream);
      return;
    }
    const char* reason = nullptr;
    if (!window.is_of(shape, *stream, kinds)) {
      reason = "an operation of another shape, stream or kind";
    } else if (mode == Fusion::adversary && state->random() % 4 == 0) {
      const size_t cut = 1 + state->random() % window.size();
      run_window(lock, window.best_cut(cut, cut), "chance");
      continue;
    } else if (const Window::Room room = window.room_for(joining); room == Window::Room::yes) {
      return;
    } else if (room == Window::Room::is_full) {
      run_window(lock, window.best_cut(), "its size");
      continue;
    } else {
      reason = "an operation that uses the same memory otherwise";
    }
    end_history();
    run_window(lock, reason);
  }
}

// Returns a number for the operation, which does not tell its arrays apart.
uint64_t number_of(const Joining& joining) {
  uint64_t number = joining.op ? static_cast<uint64_t>(*joining.op) + 1 : 0;
  number = number << 8 | static_cast<uint64_t>(joining.loop);
  number = number << 8 | static_cast<uint64_t>(joining.target.dtype());
  for (const Operand& operand : joining.operands) {
    const bool is_scalar = operand.array() == nullptr;
    number = number << 8 | static_cast<uint64_t>(is_scalar ? joining.loop : operand.dtype()) << 1;
    number |= is_scalar;
  }
  number = number << 1 | (joining.target.buffer().use_count() > 1);
  return number * 0xff51afd7ed558ccdu;
}

// Adds the operation to the history, and returns what comes next.
Prediction::Next predict(const Joining& joining) {
  set_flag(are_calls_watched, true);
  return state->prediction.add(number_of(joining));
}

// Does so for an operation before which nothing waits. Returns whether another one will join it.
bool is_followed(const Joining& joining, const StreamPtr& stream) {
  Window& window = *state->window;
  if (window.empty() && !window.is_of(joining.target.shape(), *stream, ~0u)) {
    state->prediction.end();
    window.open(joining.target.shape(), stream);
  }
  return predict(joining) == Prediction::Next::another;
}

// Adds an operation to the window, if it can wait.
bool join(const Joining& joining) {
  const Fusion now = mode.load(std::memory_order_relaxed);
  const StreamPtr& current = current_stream(joining.target.device());
  if (!can_wait(joining, *current, now)) return false;
  std::unique_lock lock(state->mutex, std::defer_lock);
  bool predicts = now == Fusion::automatic;
  if (predicts && !is_work_deferred.load(std::memory_order_relaxed)) {
    lock.lock();
    if (!is_followed(joining, current)) return false;
    predicts = false;
    lock.unlock();
  }
  const StreamPtr stream = current;
  const Step step = step_of(joining);
  // This may load libraries, for which a thread waits without the GIL.
  const uint32_t kinds = backend_of(joining.target.device()).step_kinds(step);
  if (kinds == 0) return false;
  lock.lock();
  make_room(joining, stream, kinds, lock);
  const Prediction::Next next = predicts ? predict(joining) : Prediction::Next::another;
  // Where operations wait already, what is new waits with them.
  if (next != Prediction::Next::another && state->window->empty()) return false;
  state->window->add(joining, step, kinds);
  set_flag(is_work_deferred, true);
  set_flag(are_calls_watched, true);
  state->deaths = state->awaited_deaths = 0;
  if (next == Prediction::Next::nothing) {
    const uint8_t deaths = state->prediction.deaths();
    if (deaths == 0)
      run_window(lock, "its end of last time");
    else if (deaths != Prediction::kUnknown)
      state->awaited_deaths = deaths;
  }
  return true;
}

}  // namespace

Fusion fusion() { return mode; }

const char* name(Fusion mode) { return kModes[static_cast<int>(mode)]; }

void set_fusion(const std::string& name, const char* what) {
  const std::string prefix = name.substr(0, name.find(':'));
  const auto found = std::ranges::find(kModes, prefix);
  if (found == std::end(kModes) || (prefix != name && prefix != "adversary"))
    throw ValueError(std::string(what) + ": expected auto, off or always, got '" + name + "'");
  run_all();
  const std::lock_guard lock(state->mutex);
  if (prefix != name)
    state->random.seed(
        static_cast<unsigned>(std::strtoul(name.c_str() + prefix.size() + 1, nullptr, 10)));
  mode = static_cast<Fusion>(found - std::begin(kModes));
  join_hook = mode == Fusion::off ? nullptr : join;
}

namespace {

// A child of fork has the window that waits, but not the threads that run others.
void forget_threads() {
  new (&state->ended) std::condition_variable;
  state->running = 0;
  if (state->spare == nullptr) state->spare = std::make_unique<Window>();
  state->mutex.unlock();
}

}  // namespace

void set_up_fusion() {
  state = new State;
  pthread_atfork([] { state->mutex.lock(); }, [] { state->mutex.unlock(); }, forget_threads);
  state->logs = text_variable("GPUARRAY_FUSION_LOG") == "1";
  set_deferred_hook(run_all);
  const std::string wanted = text_variable("GPUARRAY_FUSION");
  set_fusion(wanted.empty() ? name(Fusion::automatic) : wanted, "GPUARRAY_FUSION");
}

FusionStats fusion_stats() {
  const std::lock_guard lock(state->mutex);
  return state->stats;
}

Death death_of(const Array& array) {
  const BufferPtr& buffer = array.buffer();
  if (buffer == nullptr) return {};
  // The array itself is the other owner.
  const bool is_kept = buffer->is_read_later() && buffer.use_count() == 2;
  const bool is_result = buffer->is_deferred();
  return {is_kept || is_result, is_result, is_kept ? buffer->nbytes() : 0};
}

void note(const Death& death) noexcept {
  std::unique_lock lock(state->mutex);
  state->kept_bytes += death.kept_bytes;
  const bool is_end = death.is_result && ++state->deaths == state->awaited_deaths;
  const bool keeps_much = state->kept_bytes > kMostKeptBytes;
  if ((!is_end && !keeps_much) || state->running > 0) return;
  try {
    run_window(lock, is_end ? "its end of last time" : "memory that only it keeps");
  } catch (...) {  // the next call from Python throws it
    state->failure = std::current_exception();
    update_flags();
  }
}

}  // namespace gpuarray::ops
