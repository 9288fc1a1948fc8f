// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/reducing.hpp"

#include <bit>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "array/operand.hpp"
#include "array/windows/process_window.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// The reductions that compute what waits by themselves until an operation joins it. More of them
// would read more than they save.
constexpr int kMostReductions = 4;
// The microseconds that such a reduction saves at least.
constexpr double kSavedByReduction = 1;

// Returns a number for the reduction, which does not tell its arrays apart.
uint64_t number_of(const Reducing& reducing) {
  uint64_t number = static_cast<uint64_t>(reducing.reduction) + 1;
  number = number << 8 | static_cast<uint64_t>(reducing.loop);
  number = number << 8 | static_cast<uint64_t>(reducing.source.dtype());
  number = number << 6 |
           static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(reducing.source.size())));
  return ~number * 0xff51afd7ed558ccdu;
}

// Writes what the reduction computes to stderr.
void log_reduction(const Reducing& reducing, const Window::Part& part) {
  std::fprintf(stderr, "gpuarray: %s on %s of %s computes %lld operations that wait (%s)\n",
               info(reducing.reduction).name, to_string(reducing.source.device()).c_str(),
               to_string(reducing.source.shape()).c_str(),
               static_cast<long long>(part.steps.steps.size()), names_of(part.steps).c_str());
}

// Returns how a reduction of the array is to compute what waits; nullopt if it is too small for it
// or none does.
std::optional<Steps::Way> way_to_reduce(const Array& source) {
  const TestedWindows way = tested;
  if (source.device().is_cpu() || way == TestedWindows::replay) return std::nullopt;
  if (way == TestedWindows::compiled) return Steps::Way::compiled;
  if (way == TestedWindows::adversary) {
    const std::lock_guard lock(state->lock);
    if (state->random() % 2 == 0) return Steps::Way::compiled;
  }
  if (!backend_of(source.device()).may_reduce_steps(source.size())) return std::nullopt;
  return Steps::Way::usual;
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

// Notes that a reduction of a part of the window was queued, while the window had run so often.
void note_reduction(const Reducing& reducing, const Window::Part& part, uint64_t runs) {
  ++state->stats.reductions;
  if (state->logs) log_reduction(reducing, part);
  if (state->runs != runs) return;
  state->window->note_computed(reducing.source);
  ++state->reductions;
}

// Queues the reduction of a part of the window, unless the window runs before.
bool queue_reduction(const Reducing& reducing, Window::Part& part, uint64_t runs,
                     const StreamPtr& stream) {
  const InWindow in_window;
  Access access(stream);
  std::vector<BufferUse> uses{{reducing.target.buffer().get(), true}};
  for (const BufferPtr& buffer : part.read) uses.push_back({buffer.get(), false});
  access.open(uses);
  access.exclude_others();
  for (size_t k = 0; k < part.read.size(); ++k)
    Window::place_value(*part.read[k], part.steps.memory[k]);
  {
    // What runs the window from here on is queued after this, since the access is open.
    const std::lock_guard lock(state->lock);
    if (state->runs != runs) return false;
  }
  try {
    return backend_of(stream->device())
        .reduce_steps(part.steps, reducing.reduction, reducing.loop, reducing.plan,
                      access.stream());
  } catch (const OutOfMemory&) {  // there may be room once the window has run
    return false;
  }
}

// Has the kernel compiled that reduces the part. Returns its flag, null if there can be none.
ReadyFlag prepare(const Reducing& reducing, const Window::Part& part) {
  const Device device = reducing.source.device();
  return backend_of(device).prepare_reduction(part.steps, reducing.reduction, reducing.loop,
                                              reducing.plan, device);
}

// Adds the reduction to the history, and returns what comes next.
Prediction::Next predict(const Reducing& reducing) {
  watch_history();
  begin_operation();
  reducing.target.buffer()->set_written_at(0);  // it is computed at once
  return add_operation(number_of(reducing), distance_to(reducing.source));
}

// Adds a reduction that runs at once to the sketch. Without a sketch, the node tells whether the
// reduction computed its source, since operations on its result then run beside the waiting ones.
void add_to_sketch(const Reducing& reducing, Window::Part& part, StateLock& lock) {
  Prediction::Node& node = *state->prediction.last();
  const std::shared_ptr<Plan> plan = state->sketched;
  if (plan == nullptr) {
    state->reductions = node.computes ? state->reductions + 1 : 0;
    return;
  }
  note_sketched();
  set_deferred(Deferred::sketch);
  state->deaths = 0;
  if (state->reductions < kMostReductions && state->sketch->part_for(reducing.source, part)) {
    plan->await_group();
    lock.unlock();
    ReadyFlag kernel = prepare(reducing, part);
    lock.lock();
    node.computes = kernel != nullptr;
    if (kernel != nullptr) {
      plan->add(std::move(kernel), kSavedByReduction);
      if (state->sketched != plan) return;
      state->sketch->note_computed(reducing.source);
      ++state->reductions;
      return;
    }
    plan->forget_group();
  }
  node.computes = false;
  state->reductions = 0;
  if (!state->sketch->empty()) prepare_sketch(lock);
}

}  // namespace

bool reduce_waiting(const Reducing& reducing) {
  if (InWindow::here()) return false;
  const std::optional<Steps::Way> way = way_to_reduce(reducing.source);
  StreamPtr stream;
  if (way) stream = current_stream(reducing.source.device());
  if (!way || !can_reduce(reducing, *stream)) {
    if (deferred != Deferred::nothing) run_deferred();
    return false;
  }
  Window::Part part;  // destroyed without the lock, because that may free memory
  StateLock lock(state->lock);
  wait_for_others(lock);
  Prediction::Next next = Prediction::Next::another;
  part.steps.way = *way;
  if (mode == Fusion::automatic) {
    next = predict(reducing);
    if (state->window->empty()) {
      begins_to_wait(next);
      add_to_sketch(reducing, part, lock);
      return false;
    }
    if (!follows_plan()) {
      end_plan(lock);
      return false;
    }
  }
  state->deaths = state->awaited_deaths = 0;
  if (state->running == 0 && state->reductions < kMostReductions && state->window->is_on(*stream) &&
      state->window->part_for(reducing.source, part)) {
    const uint64_t runs = state->runs;
    const std::shared_ptr<Plan> plan = state->window->plan();
    lock.unlock();
    const bool is_queued = queue_reduction(reducing, part, runs, stream);
    ReadyFlag kernel;
    if (!is_queued) kernel = prepare(reducing, part);
    lock.lock();
    if (is_queued) {
      note_reduction(reducing, part, runs);
      await_end(next, lock);
      return true;
    }
    if (plan != nullptr && kernel != nullptr) plan->add_other(std::move(kernel));
    wait_for_others(lock);
  }
  run_window(lock, "a reduction");
  return false;
}

}  // namespace gpuarray::ops
