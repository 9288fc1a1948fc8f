// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Reductions that compute what they reduce by pending operations.
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "array/windows/recorder.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// Writes what the reduction computes, and which bytes it need not read, to stderr.
void log_reduction(const Reducing& reducing, const Window::Part& part) {
  const Steps& steps = part.steps;
  const StepsCost cost = backend_of(reducing.source.device()).cost_of(steps);
  std::fprintf(stderr,
               "gpuarray: %s on %s of %s computes %lld operations that wait (%s); %.1f us alone, "
               "%.1f us together, %lld bytes not moved\n",
               info(reducing.reduction).name, to_string(reducing.source.device()).c_str(),
               to_string(reducing.source.shape()).c_str(),
               static_cast<long long>(steps.steps.size()), names_of(steps).c_str(), cost.alone,
               cost.together, static_cast<long long>(cost.bytes_saved + reducing.source.nbytes()));
}

// Whether the reduction is of a form that can compute what waits.
bool can_reduce(const Reducing& reducing, const Stream& stream) {
  const auto& [reduction, loop, source, target, plan] = reducing;
  if (!stream.owned() || stream.is_capturing() || launch_mode() != 0) return false;
  if (!source.is_c_contiguous() || !can_wait(source, source.shape()) ||
      !can_wait(target, target.shape()) || target.buffer()->is_deferred() ||
      target.buffer()->is_read_later() || target.buffer()->has_values())
    return false;
  // Over the last axes or the first ones, which then are one, as are the others.
  if (plan.reduced.size() != 1 || plan.kept.size() > 1) return false;
  return plan.reduced_strides[0] == 1 || (!plan.kept.empty() && plan.kept_strides[0] == 1);
}

}  // namespace

ReadyFlag Recorder::prepare_reduction(const Reducing& reducing, const Window::Part& part) {
  const Device device = reducing.source.device();
  return backend_of(device).prepare_reduction(part.steps, reducing.reduction, reducing.loop,
                                              reducing.plan, device);
}

std::optional<Steps::Way> Recorder::way_to_reduce(const Array& source) {
  const TestedWindows way = tested;
  if (way == TestedWindows::replay) return std::nullopt;
  if (way == TestedWindows::compiled) return Steps::Way::compiled;
  if (way == TestedWindows::adversary) {
    const LockGuard lock(lock_);
    if (random_() % 2 == 0) return Steps::Way::compiled;
  }
  if (!backend_of(source.device()).may_reduce_steps(source.size())) return std::nullopt;
  return Steps::Way::usual;
}

void Recorder::note_reduction(const Reducing& reducing, const Window::Part& part, uint64_t runs) {
  ++stats_.reductions;
  if (logs_groups) log_reduction(reducing, part);
  if (runs_ != runs) return;
  window_->note_computed(reducing.source);
  ++reductions_;
}

bool Recorder::queue_reduction(const Reducing& reducing, Window::Part& part, uint64_t runs,
                               const StreamPtr& stream) {
  const InWindow in_window;
  BufferAccess access(stream);
  access.ignore_deferred();
  std::vector<BufferUse> uses{{reducing.target.buffer().get(), true}};
  for (const Window::Held& held : part.read) uses.push_back({held.buffer.get(), false});
  access.open(uses);
  access.exclude_others();
  for (size_t k = 0; k < part.read.size(); ++k)
    Window::place(*part.read[k].buffer, part.read[k].offset, part.steps.memory[k]);
  {
    // What runs the window from here on is queued after this, since the access is open.
    const LockGuard lock(lock_);
    if (runs_ != runs) return false;
  }
  try {
    return backend_of(stream->device())
        .reduce_steps(part.steps, reducing.reduction, reducing.loop, reducing.plan,
                      access.stream());
  } catch (const OutOfMemory&) {  // there may be room once the window has run
    return false;
  }
}

bool Recorder::reduce_locked(const Reducing& reducing, const StreamPtr& stream,
                             Window::Part& part) {
  while (runner_ != 0) wait_for_runner();
  Prediction::Next next = Prediction::Next::another;
  if (mode == Fusion::automatic) {
    watch_history();
    if (is_idle() && !prediction_.is_open()) window_->open(reducing.source.shape(), *stream);
    next = predict(reducing);
    const bool is_first = window_->empty();
    if (is_first) begins_to_wait(next);
    if (is_first || !follows_plan()) {
      if (is_first || end_plan(next) != nullptr) add_to_sketch(reducing, part);
      return false;
    }
  }
  deaths_ = awaited_deaths_ = 0;
  if (reductions_ < kMostReductions && window_->is_on(*stream) &&
      window_->part_for(reducing.source, part)) {
    const uint64_t runs = runs_;
    const std::shared_ptr<Plan> plan = window_->plan();
    bool is_queued = false;
    ReadyFlag kernel;
    {
      const Unlocked unlocked(lock_);
      is_queued = queue_reduction(reducing, part, runs, stream);
      if (!is_queued) kernel = prepare_reduction(reducing, part);
    }
    if (is_queued) {
      note_reduction(reducing, part, runs);
      await_end(next);
      return true;
    }
    if (plan != nullptr && kernel != nullptr) plan->add_other(std::move(kernel));
    while (runner_ != 0) wait_for_runner();
  }
  run_window(EndReason::reduction);
  return false;
}

bool Recorder::reduce(const Reducing& reducing) {
  const std::optional<Steps::Way> way = way_to_reduce(reducing.source);
  StreamPtr stream;
  if (way) stream = current_stream(reducing.source.device());
  if (way && deferred == Deferred::by_thread) settle_others(reducing);
  if (!way || !can_reduce(reducing, *stream)) {
    run_deferred_first();
    return false;
  }
  Window::Part part;  // destroyed without the lock, because that may free memory
  part.steps.way = *way;
  const LockGuard lock(lock_);
  return reduce_locked(reducing, stream, part);
}

bool reduce_pending(const Reducing& reducing) {
  if (InWindow::here()) return false;
  Recorder* const recorder = reducing.source.device().is_cpu() ? nullptr : Recorder::made_here();
  if (recorder != nullptr) return recorder->reduce(reducing);
  run_deferred_first();
  return false;
}

}  // namespace gpuarray::ops
