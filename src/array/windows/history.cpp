// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a recorder knows of the operations that come next.
#include <algorithm>
#include <bit>
#include <utility>

#include "array/windows/recorder.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/tuning.hpp"

namespace gpuarray::ops {
namespace {

constexpr uint8_t kMostSketches = 8;  // of sequences that begin alike, and later
// One after so many times. With the sketch and what ends the rest that is a prime number, so that
// programs that take turns are all met.
constexpr uint8_t kRest = 35;
// So many misses more than hits, and for so many times nothing waits.
constexpr uint8_t kMostMisses = 2;
constexpr uint8_t kSkips = 15;
constexpr int kMostGroups = 32;  // of the sketch of a loop that does not end

// Whether the result is written to an array that was there before.
bool is_given(const Array& target) { return target.buffer().use_count() > 1; }

// Returns a number for the operation, which does not tell its arrays apart.
uint64_t number_of(const Joining& joining, bool is_given) {
  const Array& target = joining.whole();
  uint64_t number = joining.op ? static_cast<uint64_t>(*joining.op) + 1 : 0;
  if (joining.reduction != nullptr)
    number = ~static_cast<uint64_t>(joining.reduction->reduction) -
             (std::bit_cast<uint64_t>(joining.reduction->correction) >> 40);
  for (const IndexMap& map : joining.maps) {
    for (int axis = 0; axis < target.ndim(); ++axis)
      number = (number << 1 | (map.axes[axis] != 0)) + 0x100;
    number = number << 2 | static_cast<uint64_t>(map.has_holes()) << 1 | map.is_general();
  }
  number = number << 8 | static_cast<uint64_t>(joining.loop);
  number = number << 8 | static_cast<uint64_t>(target.dtype());
  for (const Operand& operand : joining.operands) {
    const Array* array = operand.array();
    const bool is_whole = array != nullptr && array->size() == target.size();
    number = number << 7 | static_cast<uint64_t>(array ? operand.dtype() : joining.loop);
    number = number << 2 | static_cast<uint64_t>(is_whole) << 1 | (array == nullptr);
    number = number << 1 | (array == nullptr || array->is_c_contiguous());
  }
  number =
      number << 6 | static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(target.size())));
  number = number << 2 | static_cast<uint64_t>(target.device().is_cpu()) << 1 | is_given;
  number = number << 1 | target.is_c_contiguous();
  number *= 0xff51afd7ed558ccdu;
  // Operations on short rows take longer.
  if (target.ndim() > 1)
    number += 0x9e3779b97f4a7c15u *
              static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(target.shape().back())));
  return number;
}

// The same for a reduction.
uint64_t number_of(const Reducing& reducing) {
  uint64_t number = static_cast<uint64_t>(reducing.reduction) + 1;
  number = number << 8 | static_cast<uint64_t>(reducing.loop);
  number = number << 8 | static_cast<uint64_t>(reducing.source.dtype());
  number = number << 6 |
           static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(reducing.source.size())));
  return ~number * 0xff51afd7ed558ccdu;
}

}  // namespace

void Recorder::watch_history() {
  if (state_.load(std::memory_order_relaxed) != Deferred::nothing) return;
  prediction_.end();
  set_state(Deferred::history);
}

void Recorder::begin_operation() {
  if (!prediction_.is_open()) {
    began_after_ = operations_;
    reduces_rows_ = false;
  }
  ++operations_;
}

Prediction::Next Recorder::add_operation(uint64_t operation, uint64_t wiring) {
  const Prediction::Next next = prediction_.add(operation, wiring);
  if (prediction_.is_anew()) began_after_ = operations_ - 1;
  return next;
}

bool Recorder::is_of_history(const Array& array) const {
  const uint64_t written_at = array.buffer()->written_at();
  return written_at > began_after_ && written_at <= operations_;
}

uint64_t Recorder::distance_to(const Array& array) const {
  return is_of_history(array) ? operations_ - array.buffer()->written_at() : 0;
}

Prediction::Next Recorder::predict(const Joining& joining) {
  const bool given = is_given(joining.target);
  begin_operation();
  reduces_rows_ |= joining.reduction != nullptr;
  // Which results of the history the operation reads and writes.
  uint64_t wiring = given ? distance_to(joining.target) : 0;
  for (const Operand& operand : joining.operands)
    wiring = wiring << 16 | (operand.array() == nullptr ? 0 : distance_to(*operand.array()));
  const Prediction::Next next = add_operation(number_of(joining, given), wiring);
  joining.target.buffer()->set_written_at(operations_);
  last_written_at_ = operations_;
  last_offset_ = joining.target.offset();
  last_size_ = joining.target.size();
  return next;
}

Prediction::Next Recorder::predict(const Reducing& reducing) {
  begin_operation();
  reducing.target.buffer()->set_written_at(0);  // it is computed at once
  return add_operation(number_of(reducing), distance_to(reducing.source));
}

// Whether the operation reads what the last one wrote in another order, so that it could not have
// joined it.
bool Recorder::reads_last_otherwise(const Joining& joining) const {
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && operand.array()->buffer()->written_at() == last_written_at_ &&
        (operand.array()->offset() != last_offset_ || operand.array()->size() != last_size_ ||
         !joining.maps.empty()))
      return true;
  return false;
}

// Whether the operation is on what reductions of rows of the history gave, for each row.
bool Recorder::is_on_rows(const Joining& joining) const {
  if (!prediction_.is_open() || !reduces_rows_ || joining.reduction != nullptr ||
      !window_->is_of_rows(joining.target))
    return false;
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && window_->is_of_rows(*operand.array()) &&
        is_of_history(*operand.array()))
      return true;
  return false;
}

Shape Recorder::shape_of(const Joining& joining) const {
  return is_on_rows(joining) ? window_->steps().shape : joining.whole().shape();
}

// Whether the operation, before which nothing waits, can come after those of the history.
bool Recorder::can_follow_history(const Joining& joining, const Stream& stream) {
  if ((!window_->is_of(joining, stream) && !is_on_rows(joining)) || reads_last_otherwise(joining))
    return false;
  return sketch_->empty() || sketch_->room_for(joining) != Window::Room::conflicts;
}

// Whether a small operation after a reduction uses no result of the history but those of
// reductions. Such an operation runs beside the waiting ones.
bool Recorder::is_beside_history(const Joining& joining) const {
  if (reductions_ == 0 || joining.reduction != nullptr ||
      joining.target.size() * kBesideShare > window_->steps().size)
    return false;
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && distance_to(*operand.array()) != 0) return false;
  return !is_given(joining.target) || distance_to(joining.target) == 0;
}

// Adds an operation before which nothing waits to the history. Returns whether it is to wait. Tells
// in `next` what comes next, if the operation was added.
bool Recorder::is_followed(const Joining& joining, const StreamPtr& stream,
                           std::optional<Prediction::Next>& next) {
  watch_history();
  bool goes_on = false;
  while (prediction_.is_open()) {
    if (is_beside_history(joining)) return false;
    if (can_follow_history(joining, *stream)) {
      if (!prediction_.has_ended() || !(follows_ || prediction_.is_at_begin())) break;
      prediction_.restart();  // what follows an end is a sequence of its own
    }
    // Without a sketch some conflicts are not seen, so what follows came before in this history.
    goes_on = sketched_ != nullptr;
    end_history();
    update_state();
    watch_history();
  }
  if (!prediction_.is_open()) {
    reductions_ = 0;
    if (!window_->is_of(joining, *stream)) window_->open(joining.whole().shape(), *stream);
  }
  next = predict(joining);
  deaths_ = reductions_ = 0;
  if (begins_to_wait(*next, goes_on)) return true;
  add_to_sketch(joining, stream);
  return false;
}

bool Recorder::follows_plan() {
  const Prediction::Node* node = prediction_.last();
  return node != nullptr && node->plan != nullptr && node->plan->is_ready();
}

bool Recorder::begins_to_wait(Prediction::Next next, bool goes_on) {
  Prediction::Node& node = *prediction_.last();
  const bool is_at_begin = prediction_.is_at_begin();
  if (is_at_begin) follows_ = false;
  // What came before goes another way than what was sketched, or beyond it.
  if (next != Prediction::Next::unknown && !follows_ && sketched_ == nullptr && !is_at_begin &&
      node.plan == nullptr)
    prediction_.first()->wants_sketch = true;
  if (next == Prediction::Next::unknown && goes_on && is_at_begin) begin_sketch();
  if (next != Prediction::Next::another || sketched_ != nullptr) return false;
  const bool is_ready = follows_plan();
  if (!is_at_begin) return is_ready && follows_;
  if (!is_ready) begin_sketch();
  follows_ = is_ready && node.skips == 0;
  node.skips -= node.skips > 0;
  node.misses -= follows_ && node.misses > 0;
  return follows_;
}

bool Recorder::begin_sketch() {
  Prediction::Node& node = *prediction_.last();
  if (node.plan != nullptr && !node.plan->fails() && !node.wants_sketch) {
    if (!node.plan->takes_look()) return false;
  } else if (node.rest > 0) {
    --node.rest;
    return false;
  } else if (node.sketches == kMostSketches) {
    --node.sketches;
    node.rest = kRest;
    return false;
  } else {
    ++node.sketches;
  }
  sketched_ = std::make_shared<Plan>();
  sketched_groups_ = 0;
  return true;
}

void Recorder::note_sketched() {
  Prediction::Node& node = *prediction_.last();
  if (node.plan == nullptr) prediction_.first()->wants_sketch = false;
  // Sequences that begin alike may wait together until they part.
  if (node.plan == nullptr || node.plan->fails() || node.plan->is_useless()) node.plan = sketched_;
  if (node.plan != sketched_) node.plan->note_look();
}

void Recorder::add_to_sketch(const Joining& joining, const StreamPtr& stream) {
  const std::shared_ptr<Plan> plan = sketched_;
  if (plan == nullptr) return;
  note_sketched();
  while (sketched_ == plan && !sketch_->empty() &&
         sketch_->room_for(joining) == Window::Room::is_full) {
    if (++sketched_groups_ > kMostGroups) {
      end_sketch();
      return update_state();
    }
    prepare_sketch([](const Window& taken) { return taken.best_cut(); });
  }
  if (sketched_ != plan) return;  // other code has ended it
  if (sketch_->empty()) {
    sketch_->open(shape_of(joining), stream);
    sketch_->set_plan(sketched_);
  }
  sketch_->add(joining);
  set_state(Deferred::sketch);
}

void Recorder::add_to_sketch(const Reducing& reducing, Window::Part& part) {
  Prediction::Node& node = *prediction_.last();
  const std::shared_ptr<Plan> plan = sketched_;
  if (plan == nullptr) {
    reductions_ = node.computes ? reductions_ + 1 : 0;
    return;
  }
  note_sketched();
  set_state(Deferred::sketch);
  deaths_ = 0;
  if (reductions_ < kMostReductions && sketch_->part_for(reducing.source, part)) {
    plan->await_group();
    ReadyFlag kernel;
    try {
      const Unlocked unlocked(lock_);
      kernel = prepare_reduction(reducing, part);
    } catch (...) {
      plan->add(nullptr, 0);
      throw;
    }
    node.computes = kernel != nullptr;
    if (kernel != nullptr) {
      plan->add(std::move(kernel), kCudaReduction);
      if (sketched_ != plan) return;
      sketch_->note_computed(reducing.source);
      ++reductions_;
      return;
    }
    plan->forget_group();
  }
  node.computes = false;
  reductions_ = 0;
  if (!sketch_->empty()) prepare_sketch();
}

void Recorder::prepare_sketch(const CountOfRun& count) {
  auto taken = std::exchange(sketch_, std::make_unique<Window>(*this, Window::Kind::sketch));
  taken->move_rest(count(*taken), *sketch_);
  const std::shared_ptr<Plan> plan = taken->plan();
  plan->await_group();
  ReadyFlag kernel;
  double saved = 0;
  try {
    const Unlocked unlocked(lock_);
    std::vector<BufferPtr> kept;  // what these release may run other code
    FusionStats ignored;
    taken->find_stored(kept);
    taken->leave_needed(ignored);
    kernel = backend_of(taken->device()).prepare(taken->steps(), taken->device());
    if (!taken->steps().steps.empty())  // which only reductions compute
      saved = backend_of(taken->device()).cost_of(taken->steps()).saved;
    kept.clear();
    taken.reset();
  } catch (...) {
    plan->add(nullptr, 0);
    throw;
  }
  plan->add(std::move(kernel), saved);
}

void Recorder::end_sketch() {
  const std::shared_ptr<Plan> plan = std::exchange(sketched_, nullptr);
  if (!sketch_->empty()) prepare_sketch();
  if (plan != nullptr) plan->complete();
}

void Recorder::end_history() {
  if (!window_->empty() || !sketch_->empty())
    prediction_.set_deaths(static_cast<uint8_t>(std::min(deaths_, 254)));
  prediction_.end();
  end_sketch();
}

std::shared_ptr<Plan> Recorder::end_plan(Prediction::Next next) {
  follows_ = false;
  Prediction::Node& first = *prediction_.first();
  if (const auto& plan = prediction_.last()->plan;
      plan != nullptr && (plan->is_useless() || plan->fails())) {
    first.misses = std::min<uint8_t>(first.misses + 2, kMostMisses + 2);
    if (first.misses > kMostMisses) first.skips = kSkips;
  }
  std::shared_ptr<Plan> begun;
  if (next != Prediction::Next::unknown && begin_sketch()) {
    begun = sketched_;
    sketch_->copy(*window_);
    sketch_->set_plan(begun);
  }
  window_->set_plan(nullptr);
  run_window(EndReason::unplanned);
  return begun == sketched_ ? begun : nullptr;
}

void Recorder::await_end(Prediction::Next next) {
  if (next != Prediction::Next::nothing) return;
  const uint8_t deaths = prediction_.deaths();
  if (deaths == 0)
    run_window(EndReason::predicted);
  else if (deaths != Prediction::kUnknown)
    awaited_deaths_ = deaths;
}

void Recorder::forget_sequences() {
  run_all(EndReason::wait);
  const LockGuard lock(lock_);
  prediction_.forget();
}

}  // namespace gpuarray::ops
