// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the operations of a recorder run.
#include <cstdio>
#include <mutex>
#include <utility>

#include "array/windows/recorder.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray::ops {
namespace {

Steps::Way way_of(TestedWindows tested) {
  if (tested == TestedWindows::replay) return Steps::Way::alone;
  return tested == TestedWindows::compiled ? Steps::Way::compiled : Steps::Way::usual;
}

// Writes what a window had, cost and saved, and what ended it, to stderr.
void log_group(const Window& window, int64_t number, const FusionStats& found, bool is_one_pass,
               EndReason reason) {
  const Steps& steps = window.steps();
  StepsCost cost = backend_of(window.device()).cost_of(steps);
  if (!is_one_pass || steps.steps.empty()) {
    cost.together = steps.steps.empty() ? 0 : cost.alone;
    cost.bytes_saved = 0;
  }
  std::fprintf(stderr,
               "gpuarray: window %lld on %s of %s: %lld operations, %lld unneeded, %lld not stored "
               "(%s), %s; %.1f us alone, %.1f us together, %lld bytes not moved; ended by %s\n",
               static_cast<long long>(number), to_string(window.device()).c_str(),
               to_string(steps.shape).c_str(), static_cast<long long>(found.operations),
               static_cast<long long>(found.unneeded), static_cast<long long>(found.temporary),
               names_of(steps).c_str(), is_one_pass ? "one pass" : "one by one", cost.alone,
               cost.together, static_cast<long long>(cost.bytes_saved), name(reason));
}

}  // namespace

void Recorder::count(const Window& window, const FusionStats& found, bool is_one_pass,
                     EndReason reason) {
  stats_.windows += found.windows;
  stats_.operations += found.operations;
  stats_.unneeded += found.unneeded;
  stats_.temporary += found.temporary;
  if (is_one_pass) stats_.reductions += found.reductions;
  if (logs_groups) log_group(window, stats_.windows, found, is_one_pass, reason);
}

void Recorder::open_alone(Run& run, std::optional<BufferAccess>& access) {
  while (true) {
    run.failure = nullptr;
    try {
      access.emplace(run.stream);
      access->ignore_deferred();
      access->exclude_others();
    } catch (...) {  // thrown again once the window is empty
      run.failure = std::current_exception();
    }
    lock_.lock();
    const bool is_alone = runner_ == 0;
    const bool waits =
        !run.failure && !run.stream->device().is_cpu() && Buffer::is_any_in_long_use(run.must_wait);
    if (is_alone && !waits) return;
    lock_.unlock();
    if (is_alone) BufferAccess::yield_to_host_work(&*access);
    access.reset();
    lock_.lock();
    wait_for_runner();
    if (runs_ != run.runs) return;  // another thread has taken the window
    lock_.unlock();
  }
}

void Recorder::run_opened(Run& run, std::unique_ptr<Window> window,
                          std::optional<BufferAccess>& access) {
  const bool is_open = !run.failure;
  for (std::unique_ptr<Window> rest; window != nullptr; window = std::move(rest)) {
    FusionStats found;
    bool is_one_pass = true;
    ReadyFlag kernel;
    std::optional<BufferAccess> own;  // of operations that run before the rest, to free memory then
    try {
      if (is_open) {
        window->allocate(run.released, rest);
        if (rest != nullptr) own.emplace(run.stream).ignore_deferred();
        is_one_pass = window->run(found, run.way, own ? *own : *access, run.released);
      }
      if (!is_one_pass && window->plan() != nullptr)
        kernel = backend_of(run.stream->device()).prepare(window->steps(), run.stream->device());
    } catch (...) {  // thrown again once the lock is held and the window empty
      if (!run.failure) run.failure = std::current_exception();
    }
    {
      const LockGuard lock(lock_);
      if (!is_one_pass && window->plan() != nullptr) window->plan()->add_other(std::move(kernel));
      if (run.reason) count(*window, found, is_one_pass, *run.reason);
      window->clear(run.released);
      (rest != nullptr ? rest : window_)->mark_results(run.released);
      if (rest == nullptr) {
        spare_ = std::move(window);
        runner_ = 0;
        ++ended_;
      }
    }
    if (rest == nullptr) break;
    own.reset();
    run.released.clear();
  }
  ended_.notify_all();
  access.reset();
}

void Recorder::run_unlocked(Run& run) {
  const InWindow in_window;
  std::optional<BufferAccess> access;
  std::unique_ptr<Window> window;
  {
    open_alone(run, access);
    const LockGuard lock(lock_, std::adopt_lock);
    if (runner_ == 0 && runs_ == run.runs) window = run.take();
    if (window != nullptr) runner_ = this_thread_number();
  }
  if (window == nullptr) return;
  const auto run_it = [&] { run_opened(run, std::move(window), access); };
  // A thread that asks for the GIL while the interpreter ends never returns, so others must not
  // wait for it by then.
  run.stream->device().is_cpu() ? blocking(run_it) : run_it();
}

void Recorder::run_taken(Run& run) {
  {
    const Unlocked unlocked(lock_);
    run_unlocked(run);
    // What these release may run other code.
    run.released.clear();
    run.stream.reset();
  }
  kept_bytes_ = window_->kept_bytes();
  if (window_->empty()) most_bytes_ = 0;
  update_state();
  // In a child of fork nothing can be done about the window of its parent.
  if (run.failure && driver_end.load() == nullptr) std::rethrow_exception(run.failure);
}

void Recorder::run_window(EndReason reason, const CountOfRun& count) {
  awaited_deaths_ = deaths_ = 0;
  reductions_ = 0;
  if (window_->empty()) return;
  const TakeWindow take = [this, &count]() REQUIRES(lock_) {
    ++runs_;
    std::unique_ptr<Window> window = std::exchange(window_, std::move(spare_));
    window->move_rest(count(*window), *window_);
    return window;
  };
  const MustWait must_wait = [this](const Buffer& used)
                                 REQUIRES(lock_) { return window_->must_wait_for(used); };
  Run run{window_->stream(), way_of(tested), reason, runs_, take, must_wait};
  run_taken(run);
}

void Recorder::wait_for_runner() {
  if (runner_ == 0 || runner_ == this_thread_number()) return;
  const uint32_t seen = ended_;
  const Unlocked unlocked(lock_);
  blocking([&] { ended_.wait(seen); });
}

void Recorder::run_all(EndReason reason) {
  const LockGuard lock(lock_);
  if (runner_ != 0 && runner_ == this_thread_number()) return;  // within a user's allocator
  struct Update {
    Recorder& recorder;
    ~Update() NO_THREAD_SAFETY_ANALYSIS { recorder.update_state(); }  // the guard is outside
  } const update{*this};
  if (runner_ != 0) wait_for_runner();
  end_history();
  run_window(reason);
  if (runner_ != 0) wait_for_runner();  // another thread may have taken the window
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace gpuarray::ops
