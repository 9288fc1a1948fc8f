// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/process_window.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray::ops {
namespace {

// Whether this thread runs operations of the window.
constinit thread_local bool is_in_window = false;
constinit thread_local bool runs_window = false;
// Whether this thread ends the interpreter, and so gets the GIL whenever it asks for it.
constinit thread_local bool ends_turns = false;

Steps::Way way_of(TestedWindows tested) {
  if (tested == TestedWindows::replay) return Steps::Way::alone;
  return tested == TestedWindows::compiled ? Steps::Way::compiled : Steps::Way::usual;
}

// Counts what a window had. Writes it, and what ended the window, to stderr if that is wanted.
void count(const Window& window, const FusionStats& found, const char* reason) {
  FusionStats& stats = state->stats;
  stats.windows += found.windows;
  stats.operations += found.operations;
  stats.unneeded += found.unneeded;
  stats.temporary += found.temporary;
  if (!state->logs) return;
  const Steps& steps = window.steps();
  std::fprintf(stderr,
               "gpuarray: window %lld on %s of %s: %lld operations, %lld unneeded, %lld not stored "
               "(%s); ended by %s\n",
               static_cast<long long>(stats.windows), to_string(window.device()).c_str(),
               to_string(steps.shape).c_str(), static_cast<long long>(found.operations),
               static_cast<long long>(found.unneeded), static_cast<long long>(found.temporary),
               names_of(steps).c_str(), reason);
}

}  // namespace

InWindow::InWindow() : before_(std::exchange(is_in_window, true)) {}

InWindow::~InWindow() { is_in_window = before_; }

bool InWindow::here() { return is_in_window; }

bool runs_window_here() { return runs_window; }

std::string names_of(const Steps& steps) {
  std::string names;
  for (const Step& step : steps.steps)
    names += (names.empty() ? "" : " ") + std::string(step.op ? info(*step.op).name : "cast");
  return names;
}

bool can_wait(const Array& array, const Shape& shape) {
  const Buffer& buffer = *array.buffer();
  if (!buffer.is_private() || (buffer.kind() != MemoryKind::device && !buffer.device().is_cpu()))
    return false;
  if (array.is_c_contiguous() || array.shape() != shape || array.ndim() < 2) return true;
  const int64_t step = array.strides()[array.ndim() - 1];
  return step == 1 || step == 0;
}

void update_deferred() {
  const bool waits = !state->window->empty() || state->running > 0 || state->failure != nullptr;
  Deferred watched = state->prediction.is_open() ? Deferred::history : Deferred::nothing;
  if (state->sketched != nullptr) watched = Deferred::sketch;
  set_deferred(waits ? Deferred::work : watched);
}

namespace {

constexpr uint8_t kMostSketches = 8;  // of sequences that begin alike, and later
// One after so many times. With the sketch and what ends the rest that is a prime number, so that
// programs that take turns are all met.
constexpr uint8_t kRest = 35;

}  // namespace

void watch_history() {
  if (deferred.load(std::memory_order_relaxed) != Deferred::nothing) return;
  state->prediction.end();
  set_deferred(Deferred::history);
}

bool follows_plan() {
  const Prediction::Node* node = state->prediction.last();
  return node != nullptr && node->plan != nullptr && node->plan->is_ready();
}

bool begins_to_wait(Prediction::Next next) {
  // A sequence that came before goes on beyond a plan that does not save time.
  if (next != Prediction::Next::unknown && !state->follows && state->sketched == nullptr &&
      !state->prediction.is_at_begin() && state->prediction.last()->plan == nullptr)
    if (const auto& plan = state->prediction.first()->plan; plan != nullptr && plan->is_useless())
      state->prediction.first()->wants_sketch = true;
  if (next != Prediction::Next::another) {
    state->follows = state->follows && !state->prediction.is_at_begin();
    return false;
  }
  if (state->sketched != nullptr) return false;
  const bool is_ready = follows_plan();
  Prediction::Node& node = *state->prediction.last();
  if (!state->prediction.is_at_begin()) return is_ready && state->follows;
  const bool is_resting = node.rest > 0;
  node.rest -= is_resting;
  state->follows = is_ready && (!node.wants_sketch || is_resting);
  const bool has_plan = node.plan != nullptr && !node.plan->fails();
  if (state->follows || is_resting || (has_plan && !node.wants_sketch)) return state->follows;
  if (node.sketches < kMostSketches) {
    ++node.sketches;
    state->sketched = std::make_shared<Plan>();
    state->sketched_groups = 0;
  } else {
    --node.sketches;
    node.rest = kRest;
  }
  return state->follows;
}

void note_sketched() {
  Prediction::Node& node = *state->prediction.last();
  // A sketch of another sequence than the one that was wanted finds plans that are ready.
  if (!follows_plan()) state->prediction.first()->wants_sketch = false;
  node.plan = state->sketched;
}

namespace {

// Opens memory on the stream, for this thread alone, while nobody runs a window and what is to be
// taken need not wait for other threads' copies, and takes the lock. Returns what it throws. So a
// window that was taken waits for no memory, but for what a user's allocator waits for: who has
// some open finds none of CUDA that another thread has taken and cannot run.
std::exception_ptr open_alone(const StreamPtr& stream, std::optional<Access>& access,
                              StateLock& lock, const MustWait& must_wait) {
  while (true) {
    std::exception_ptr failure;
    try {
      access.emplace(stream);
      access->exclude_others();
    } catch (...) {  // thrown again once the window is empty
      failure = std::current_exception();
    }
    lock.lock();
    const bool is_alone = state->running == 0;
    const bool waits =
        !failure && !stream->device().is_cpu() && Buffer::is_any_in_long_use(must_wait);
    if (is_alone && !waits) return failure;
    lock.unlock();
    if (is_alone) Access::yield_to_host_work(&*access);
    access.reset();
    lock.lock();
    wait_for_others(lock);
    lock.unlock();
  }
}

}  // namespace

void run_taken(StateLock& lock, StreamPtr stream, Steps::Way way, const char* reason,
               const TakeWindow& take, const MustWait& must_wait) {
  std::exception_ptr failure;
  std::vector<BufferPtr> released;
  lock.unlock();
  {
    const InWindow in_window;
    std::optional<Access> access;
    failure = open_alone(stream, access, lock, must_wait);
    std::unique_ptr<Window> window = take();
    if (window == nullptr) {
      lock.unlock();
      access.reset();
      stream.reset();
      lock.lock();
      return;
    }
    ++state->running;
    runs_window = true;
    lock.unlock();
    const auto run = [&] {
      FusionStats found;
      bool is_one_pass = true;
      ReadyFlag kernel;
      try {
        if (!failure) is_one_pass = window->run(found, way, *access, released);
        if (!is_one_pass && window->plan() != nullptr)
          kernel = backend_of(stream->device()).prepare(window->steps(), stream->device());
      } catch (...) {  // thrown again once the lock is held and the window empty
        failure = std::current_exception();
      }
      lock.lock();
      if (!is_one_pass && window->plan() != nullptr) window->plan()->add_other(std::move(kernel));
      if (reason != nullptr) count(*window, found, reason);
      window->clear(released);
      state->window->mark_results(released);
      if (state->window->empty()) state->unused.release_to(released);
      state->spare = std::move(window);
      --state->running;
      runs_window = false;
      if (state->waiting > 0) state->ended.notify_all();
      lock.unlock();
      access.reset();
    };
    // A thread that asks for the GIL while the interpreter ends never returns, so others must not
    // wait for it by then.
    stream->device().is_cpu() ? blocking(run) : run();
  }
  // What these release may run other code.
  released.clear();
  stream.reset();
  lock.lock();
  set_kept_bytes(state->window->kept_bytes());
  if (state->window->empty()) state->most_bytes = 0;
  update_deferred();
  // In a child of fork nothing can be done about the window of its parent.
  if (failure && driver_end.load() == nullptr) std::rethrow_exception(failure);
}

void run_window(StateLock& lock, const char* reason, const CountOfRun& count) {
  state->awaited_deaths = state->deaths = 0;
  state->reductions = 0;
  if (state->window->empty()) return;
  const uint64_t runs = state->runs;
  const auto take = [&]() -> std::unique_ptr<Window> {
    if (state->runs != runs) return nullptr;
    ++state->runs;
    std::unique_ptr<Window> window = std::exchange(state->window, std::move(state->spare));
    window->move_rest(count(*window), *state->window);
    return window;
  };
  const auto must_wait = [](const Buffer& used) { return state->window->must_wait_for(used); };
  run_taken(lock, state->window->stream(), way_of(tested), reason, std::cref(take), must_wait);
}

void wait_for_others(StateLock& lock) {
  while (state->running > 0) {
    bool has_turn = false;
    blocking([&] {
      ++state->waiting;
      state->ended.wait(lock, [] { return state->running == 0; });
      --state->waiting;
      // lest a thread that has the GIL run the next ones before this one has it
      has_turn = state->gives_turns || ends_turns;
      state->running = state->turns = has_turn;
      lock.unlock();
    });
    lock.lock();
    if (!has_turn) continue;
    state->running = state->turns = 0;
    if (state->waiting > 0) state->ended.notify_all();
  }
}

void end_turns() {
  StateLock lock(state->lock);
  state->gives_turns = false;
  ends_turns = true;
  ++state->waiting;
  state->ended.wait(lock, [] { return state->turns == 0; });
  --state->waiting;
}

void prepare_sketch(StateLock& lock, const CountOfRun& count) {
  auto taken = std::exchange(state->sketch, std::make_unique<Window>(Window::Kind::sketch));
  taken->move_rest(count(*taken), *state->sketch);
  const std::shared_ptr<Plan> plan = taken->plan();
  plan->await_group();
  lock.unlock();
  ReadyFlag kernel;
  double saved = 0;
  {
    std::vector<BufferPtr> kept;  // what these release may run other code
    FusionStats ignored;
    taken->leave_needed(ignored, kept);
    kernel = backend_of(taken->device()).prepare(taken->steps(), taken->device());
    saved = backend_of(taken->device()).saved_by(taken->steps());
  }
  taken.reset();
  lock.lock();
  plan->add(std::move(kernel), saved);
}

void end_sketch(StateLock& lock) {
  const std::shared_ptr<Plan> plan = std::exchange(state->sketched, nullptr);
  if (!state->sketch->empty()) prepare_sketch(lock);
  if (plan != nullptr) plan->complete();
}

void end_history(StateLock& lock) {
  if (!state->window->empty() || !state->sketch->empty())
    state->prediction.set_deaths(static_cast<uint8_t>(std::min(state->deaths, 254)));
  state->prediction.end();
  end_sketch(lock);
}

void end_plan(StateLock& lock) {
  state->prediction.first()->wants_sketch = true;
  state->follows = false;
  state->window->set_plan(nullptr);
  run_window(lock, "an operation that did not follow before");
}

void run_all() {
  if (is_in_window) return;
  StateLock lock(state->lock);
  struct Update {
    ~Update() { update_deferred(); }
  } const update;
  wait_for_others(lock);
  end_history(lock);
  run_window(lock, "a call that may see its results");
  if (state->failure) std::rethrow_exception(std::exchange(state->failure, nullptr));
}

void await_end(Prediction::Next next, StateLock& lock) {
  if (next != Prediction::Next::nothing) return;
  const uint8_t deaths = state->prediction.deaths();
  if (deaths == 0)
    run_window(lock, "its end of last time");
  else if (deaths != Prediction::kUnknown)
    state->awaited_deaths = deaths;
}

}  // namespace gpuarray::ops
