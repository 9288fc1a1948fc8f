// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/windows/window.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/host/scalar.hpp"

namespace gpuarray::ops {
namespace {

// Whether elements at the offset of the array's buffer are those of the array.
bool is_same(const StepMemory& memory, int64_t offset, const Array& array, const Strides& strides) {
  return offset == array.offset() && memory.dtype == array.dtype() && memory.strides == strides &&
         memory.map < 0;
}

// Returns the bytes of its buffer that the array touches.
Extent extent_of(const Array& array) {
  const Extent bytes = byte_extent(array.shape(), array.strides(), array.itemsize());
  return {array.offset() + bytes.begin, array.offset() + bytes.end};
}

// Returns how many simple steps take as long to compile.
size_t compile_time_of(const Step& step) {
  constexpr size_t kTimes[] = {1, 2, 8};
  return kTimes[static_cast<int>(kind_of(step))];
}

}  // namespace

Window::Window(DeferredWork& work, Kind kind) : work_(work), kind_(kind) {
  steps_.steps.reserve(kMostOperations);
  steps_.memory.reserve(kMostInputs + kMostResults);
  steps_.scalars.reserve(kMostScalars);
  made_.reserve(kMostOperations);
  results_.reserve(kMostOperations);
  read_.reserve(kMostInputs);
}

void Window::open(const Shape& shape, const Stream& stream) {
  steps_.shape = shape;
  steps_.size = element_count(shape);
  last_stream_ = &stream;
}

void Window::open(const Shape& shape, const StreamPtr& stream) {
  open(shape, *stream);
  stream_ = stream;
}

int Window::find_maker(const Buffer& buffer) const {
  const int last = is_sketch() ? buffer.sketched() : buffer.maker();
  // The window that it is in may be run by another thread, or lost with that by a fork; a sketch
  // may be another one.
  const bool is_here = last >= 0 && static_cast<size_t>(last) < made_.size() &&
                       made_[static_cast<size_t>(last)].buffer == &buffer &&
                       !(is_sketch() && made_[static_cast<size_t>(last)].owner.expired());
  return is_here ? last : -1;
}

bool Window::is_last_made(const Array& array, const Shape& over) const {
  const int last = find_maker(*array.buffer());
  if (last < 0) return is_sketch();
  const Made& made = made_[static_cast<size_t>(last)];
  if (steps_.steps[static_cast<size_t>(last)].is_row())
    return is_same(made.target, made.offset, array, strides_of(array, over));
  return array.shape() == steps_.shape && is_same(made.target, made.offset, array, array.strides());
}

bool Window::can_move(const Array& array) const {
  return is_sketch() ? maker(*array.buffer()) < 0 : !array.buffer()->is_deferred();
}

bool Window::is_read_otherwise(const Array& target) const {
  const auto [begin, end] = extent_of(target);
  for (size_t k = 0; k < read_.size(); ++k)
    if (read_[k].buffer == target.buffer() && is_held(read_[k]) && begin < read_[k].end &&
        read_[k].begin < end &&
        !is_same(steps_.memory[k], read_[k].offset, target, target.strides()))
      return true;
  return false;
}

bool Window::is_full(size_t operands) {
  if (made_.size() == kMostOperations || compile_time_ >= kMostCompileTime ||
      read_.size() + operands > kMostInputs || steps_.scalars.size() + operands > kMostScalars)
    return true;
  if (results_.size() < kMostResults) return false;
  forget_dead_results();
  const auto counts = [&](uint8_t i) { return is_alive(made_[i]); };
  return static_cast<size_t>(std::ranges::count_if(results_, counts)) >= kMostResults;
}

void Window::forget_dead_results() {
  std::erase_if(results_, [&](uint8_t i) { return made_[i].owner.expired(); });
}

Window::Room Window::room_for(const Joining& joining) {
  if (!can_write(joining.target)) return Room::conflicts;
  for (const Operand& operand : joining.operands)
    if (const Array* array = operand.array();
        array != nullptr &&
        !(joining.maps.empty() ? can_follow(*array, joining.whole().shape()) : can_move(*array)))
      return Room::conflicts;
  if (!joining.maps.empty() && !steps_.has_room_for_maps(joining.maps)) return Room::is_full;
  if (is_full(joining.operands.size())) return Room::is_full;
  return has_rows() || joining.reduction != nullptr ? room_in_rows(joining) : Room::yes;
}

size_t Window::best_cut(size_t least, size_t most) const {
  const size_t count = made_.size();
  size_t last_use[kMostOperations] = {};
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < steps_.steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps_.steps[i].operands[k];
          operand.from == StepOperand::From::step)
        last_use[operand.index] = i;
  // No cut is possible between a result that is gone, which has no memory to lie in, and its use.
  size_t best = count, fewest = count + 1, alive = 0, possible_from = 0;
  for (size_t cut = 1; cut <= most; ++cut) {
    const size_t i = cut - 1;
    if (is_alive(made_[i]))
      alive += made_[i].earlier < 0;
    else
      possible_from = std::max(possible_from, last_use[i] + 1);
    if (cut >= std::max(least, possible_from) && alive <= fewest) {
      best = cut;
      fewest = alive;
    }
  }
  return best;
}

void Window::move_rest(size_t first, Window& rest) {
  rest.steps_.shape = steps_.shape;
  rest.steps_.size = steps_.size;
  rest.last_stream_ = last_stream_;
  rest.plan_ = plan_;
  rest.stream_ = first < made_.size() ? stream_ : nullptr;
  if (rest.stream_ == nullptr) return;
  rest.steps_.reductions = steps_.reductions;
  for (size_t i = first; i < made_.size(); ++i) {
    Step step = steps_.steps[i];
    for (int k = 0; k < step.operand_count; ++k) {
      StepOperand& operand = step.operands[k];
      if (operand.from == StepOperand::From::scalar) {
        operand.index = rest.scalar(steps_.scalars[operand.index]);
      } else if (operand.from == StepOperand::From::memory) {
        operand.index = rest.hold(*this, operand.index);
      } else if (operand.index >= first) {
        operand.index = static_cast<uint8_t>(operand.index - first);
      } else {
        const Made& made = made_[operand.index];
        operand.from = StepOperand::From::memory;
        operand.index = rest.hold(Array(BufferPtr(made.owner), made.target.dtype, steps_.shape,
                                        made.target.strides, made.offset),
                                  steps_.shape);
      }
    }
    rest.steps_.steps.push_back(step);
    rest.note_reads(i - first);
    rest.compile_time_ += compile_time_of(step);
    compile_time_ -= compile_time_of(step);
    Made& made = rest.made_.emplace_back(made_[i]);
    if (made.earlier >= 0 && made.earlier < static_cast<int>(first)) made.missing = 0;
    made.earlier = std::max(made.earlier - static_cast<int>(first), -1);
    rest.note_result(i - first);
  }
  steps_.steps.resize(first);
  made_.erase(made_.begin() + static_cast<int64_t>(first), made_.end());
  std::erase_if(results_, [&](uint8_t i) { return i >= first; });
  for (Held& held : read_) held.last_read = -1;
  for (size_t i = 0; i < first; ++i) note_reads(i);
}

void Window::copy(const Window& waiting) {
  steps_ = waiting.steps_;
  compile_time_ = waiting.compile_time_;
  for (const Made& made : waiting.made_) {
    made_.push_back(made);
    note_result(made_.size() - 1);
  }
  last_stream_ = waiting.last_stream_;
  stream_ = waiting.stream_;
  for (size_t k = 0; k < waiting.read_.size(); ++k) {
    Held& held = read_.emplace_back(waiting.read_[k]);
    place(*held.buffer, held.offset, steps_.memory[k]);
    held.owner = held.buffer;
    held.buffer = BufferPtr(BufferPtr(), held.buffer.get());
  }
}

uint8_t Window::scalar(const Scalar& value) {
  const auto is_equal = [&](const Scalar& other) {
    return other.dtype == value.dtype &&
           std::memcmp(other.bytes, value.bytes, sizeof value.bytes) == 0;
  };
  const auto found = std::ranges::find_if(steps_.scalars, is_equal);
  const auto index = found - steps_.scalars.begin();
  if (found == steps_.scalars.end()) steps_.scalars.push_back(value);
  return static_cast<uint8_t>(index);
}

// Keep memory until the operations have run. They return its number. Two buffers may have had one
// address: of a value that was moved, and of another that lies there since.
uint8_t Window::hold(const Array& array, const Shape& over) {
  for (size_t k = 0; k < read_.size() && array.is_c_contiguous(); ++k)
    if (read_[k].is_plain && read_[k].buffer == array.buffer() && is_held(read_[k]) &&
        read_[k].offset == array.offset() && steps_.memory[k].dtype == array.dtype() &&
        array.size() == steps_.size)
      return static_cast<uint8_t>(k);
  if (array.is_c_contiguous() && array.shape() == steps_.shape)
    return hold(
        {array.address(), array.dtype(), array.strides()},
        {array.buffer(), array.offset(), array.offset(), array.offset() + array.nbytes(), true});
  const auto [begin, end] = extent_of(array);
  const bool is_plain = array.is_c_contiguous() && array.size() == steps_.size;
  return hold({array.address(), array.dtype(), strides_of(array, over)},
              {array.buffer(), array.offset(), begin, end, is_plain});
}

uint8_t Window::hold(const Array& array, const IndexMap& value) {
  const auto [begin, end] = extent_of(array);
  return hold({array.address(), array.dtype(), array.strides(), map(value)},
              {array.buffer(), array.offset(), begin, end, false});
}

Window::Made::Made(const Array& made, int earlier_one)
    : owner(made.buffer()),
      buffer(made.buffer().get()),
      earlier(earlier_one),
      offset(made.offset()),
      missing(buffer->lacks_memory() ? buffer->nbytes() : 0),
      resource(buffer->resource()),
      target(reinterpret_cast<void*>(made.offset()), made.dtype(), made.strides()),
      is_plain(made.is_c_contiguous()) {}

void Window::add(const Joining& joining) {
  Step step{
      .op = joining.op, .loop = joining.loop, .result = joining.target.dtype(), .operands = {}};
  const std::span<const Operand> operands = joining.operands;
  step.operand_count = static_cast<uint8_t>(operands.size());
  // Scalars come first: what throws comes before memory is noted.
  const size_t known = steps_.scalars.size();
  try {
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k].array() == nullptr) {
        const DType dtype = step.natural(static_cast<int>(k));
        const uint8_t index = scalar(cast_scalar(operands[k].scalar(), dtype));
        step.operands[k] = {StepOperand::From::scalar, index, dtype};
      }
  } catch (...) {
    steps_.scalars.resize(known);
    throw;
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    const Array* array = operands[k].array();
    if (array == nullptr) continue;
    const int made = maker(*array->buffer());
    const uint8_t index = made >= 0              ? static_cast<uint8_t>(made)
                          : joining.maps.empty() ? hold(*array, joining.whole().shape())
                                                 : hold(*array, joining.maps[k]);
    step.operands[k] = {made >= 0 ? StepOperand::From::step : StepOperand::From::memory, index,
                        array->dtype()};
  }
  const bool is_row = joining.target.shape() != steps_.shape;
  if (joining.reduction != nullptr) {
    step.result_of = static_cast<int8_t>(steps_.reductions.size());
    steps_.reductions.push_back(*joining.reduction);
  } else if (is_row) {
    step.result_of = Step::kRow;
  }
  steps_.steps.push_back(step);
  note_reads(made_.size());
  compile_time_ += compile_time_of(step);
  Made& made = made_.emplace_back(joining.target, maker(*joining.target.buffer()));
  if (is_row) {
    made.target.strides = strides_of(joining.target, joining.target.shape());
    made.is_plain = false;
  }
  if (!is_sketch()) joining.target.buffer()->set_maker(work_, static_cast<int>(made_.size()) - 1);
  note_result(made_.size() - 1);
}

void Window::note_reads(size_t i) {
  const Step& step = steps_.steps[i];
  for (int k = 0; k < step.operand_count; ++k)
    if (step.operands[k].from == StepOperand::From::memory)
      read_[step.operands[k].index].last_read = static_cast<int>(i);
}

void Window::note_result(size_t i) {
  if (made_[i].earlier < 0) results_.push_back(static_cast<uint8_t>(i));
  if (!is_sketch()) return;
  if (const BufferPtr buffer = made_[i].owner.lock()) buffer->set_sketched(i);
}

void Window::leave_needed(FusionStats& stats) {
  const size_t count = made_.size();
  bool is_needed[kMostOperations] = {};
  for (size_t i = 0; i < count; ++i) is_needed[i] = made_[i].is_stored;
  find_needed(count, is_needed);
  uint8_t number[kMostOperations];
  uint8_t needed = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_needed[i]) {
      stats.temporary += made_[i].is_computed;
      stats.unneeded += !made_[i].is_computed;
      continue;
    }
    Step step = steps_.steps[i];
    for (int k = 0; k < step.operand_count; ++k)
      if (step.operands[k].from == StepOperand::From::step)
        step.operands[k].index = number[step.operands[k].index];
    if (made_[i].is_stored) {
      step.target = static_cast<int8_t>(steps_.memory.size());
      steps_.memory.push_back(made_[i].target);
      steps_.is_plain = steps_.is_plain && made_[i].is_plain;
    }
    number[i] = needed;
    steps_.steps[needed++] = step;
    stats.temporary += !made_[i].is_stored;
    stats.reductions += step.reduces() && step.operands[0].from == StepOperand::From::step;
  }
  steps_.steps.resize(needed);
  ++stats.windows;
  stats.operations += static_cast<int64_t>(count);
}

bool Window::run(FusionStats& stats, Steps::Way way, BufferAccess& access,
                 std::span<const BufferPtr> stored) {
  steps_.way = way;
  leave_needed(stats);
  if (steps_.steps.empty()) return true;
  BufferUse uses[kMostOperations + kMostInputs];
  size_t used = 0;
  for (const BufferPtr& buffer : stored) uses[used++] = {buffer.get(), true};
  for (const Held& held : read_) uses[used++] = {held.buffer.get(), false};
  access.open(std::span(uses, used));
  size_t k = 0;
  for (const Held& held : read_) place(*held.buffer, held.offset, steps_.memory[k++]);
  for (const Made& made : made_)
    if (made.is_stored) place(*made.buffer, made.offset, steps_.memory[k++]);
  return backend_of(stream_->device()).steps(steps_, access.stream());
}

}  // namespace gpuarray::ops
