// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/reducing.hpp"

#include <cstdio>
#include <mutex>
#include <optional>
#include <vector>

#include "array/operand.hpp"
#include "array/windows/process_window.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "runtime/buffer/deferred.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::ops {
namespace {

// The reductions that compute what waits by themselves until an operation joins it. More of them
// would read more than they save.
constexpr int kMostReductions = 4;

// Returns a number for the reduction, which does not tell its arrays apart.
uint64_t number_of(const Reducing& reducing) {
  uint64_t number = static_cast<uint64_t>(reducing.reduction) + 1;
  number = number << 8 | static_cast<uint64_t>(reducing.loop);
  number = number << 8 | static_cast<uint64_t>(reducing.source.dtype());
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
  const Fusion now = mode;
  if (source.device().is_cpu() || now == Fusion::replay) return std::nullopt;
  if (now == Fusion::compiled) return Steps::Way::compiled;
  if (now == Fusion::adversary) {
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
  access.exclude_others();  // reduce_steps() keeps what it knows of kernels without a lock
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
  if (mode == Fusion::automatic) next = watched_prediction().add(number_of(reducing));
  state->deaths = state->awaited_deaths = 0;
  part.steps.way = *way;
  if (state->running == 0 && state->reductions < kMostReductions && state->window->is_on(*stream) &&
      state->window->part_for(reducing.source, part)) {
    const uint64_t runs = state->runs;
    lock.unlock();
    const bool is_queued = queue_reduction(reducing, part, runs, stream);
    lock.lock();
    if (is_queued) {
      note_reduction(reducing, part, runs);
      await_end(next, lock);
      return true;
    }
    wait_for_others(lock);
  }
  run_window(lock, "a reduction");
  return false;
}

}  // namespace gpuarray::ops
