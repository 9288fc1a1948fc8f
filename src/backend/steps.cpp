// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "backend/backend.hpp"
#include "core/layout.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray {

StepKind kind_of(const Step& step) {
  // Elements of 16 bits are converted to be computed.
  const bool is_half = step.loop == DType::float16 || step.loop == DType::bfloat16;
  const StepKind simple = is_half ? StepKind::division : StepKind::simple;
  if (!step.op) return StepKind::simple;
  switch (*step.op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::maximum:
    case Op::minimum:
    case Op::fmax:
    case Op::fmin:
    case Op::copysign:
    case Op::bitwise_and:
    case Op::bitwise_or:
    case Op::bitwise_xor:
    case Op::left_shift:
    case Op::right_shift:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::logical_not:
    case Op::negative:
    case Op::positive:
    case Op::absolute:
    case Op::fabs:
    case Op::invert:
    case Op::sign:
    case Op::conjugate:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::rint:
    case Op::square:
    case Op::degrees:
    case Op::radians:
    case Op::isnan:
    case Op::isinf:
    case Op::isfinite:
    case Op::signbit:
    case Op::where:
    case Op::clip:
      return simple;
    case Op::divide:
    case Op::sqrt:
    case Op::reciprocal:
      return StepKind::division;
    default:
      return StepKind::function;
  }
}

bool is_whole(const Shape& shape, const Strides& strides) {
  for (int axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] > 1 && strides[axis] == 0) return false;
  return true;
}

namespace {

// Returns the bytes by which a map moves most of what is read; null if it also reverses or repeats
// that.
std::optional<int64_t> moved_by(const Steps& steps, const StepMemory& memory) {
  if (memory.map < 0) return 0;
  int64_t elements = 0;
  for (int axis = 0; axis < steps.shape.size(); ++axis)
    if (const AxisPieces* pieces = steps.maps[static_cast<size_t>(memory.map)].of(axis)) {
      const AxisPieces::Piece& longest = pieces->longest();
      if (longest.step != 1) return std::nullopt;
      elements += memory.strides[axis] * longest.base;
    }
  return elements * itemsize(memory.dtype);
}

// Whether a map leaves most elements to others.
bool reads_little(const Steps& steps, const StepMemory& memory) {
  constexpr int64_t kLittle = 8;
  if (memory.map < 0) return false;
  double share = 1;
  for (int axis = 0; axis < steps.shape.size(); ++axis)
    if (const AxisPieces* pieces = steps.maps[static_cast<size_t>(memory.map)].of(axis))
      share *= static_cast<double>(pieces->read_count()) / static_cast<double>(steps.shape[axis]);
  return share * kLittle < 1;
}

// Whether both are of one array, at most some rows apart, so that what reads them one after the
// other finds most elements of the second one in the cache.
bool is_shifted(const Steps& steps, const StepMemory& one, const StepMemory& other) {
  constexpr int64_t kNear = int64_t{256} << 10;  // bytes
  const Shape& shape = steps.shape;
  if (one.dtype != other.dtype || one.strides != other.strides) return false;
  const std::optional<int64_t> moved_one = moved_by(steps, one), moved = moved_by(steps, other);
  if (!moved_one || !moved) return false;
  int64_t distance = static_cast<char*>(one.data) - static_cast<char*>(other.data);
  distance += *moved_one - *moved;
  if (std::abs(distance) > kNear || distance % itemsize(one.dtype) != 0) return false;
  distance /= itemsize(one.dtype);
  for (int axis = 0; axis < std::min(shape.size(), one.strides.size()); ++axis) {
    const int64_t stride = std::abs(one.strides[axis]);
    if (stride == 0) continue;
    const int64_t rows = (distance + (distance < 0 ? -stride : stride) / 2) / stride;
    if (2 * std::abs(rows) > shape[axis]) return false;
    distance -= rows * stride;
  }
  return distance == 0;
}

// Returns the bytes of a step's result for an element. For a row they are few.
int64_t bytes_of(const Step& step) { return step.is_row() ? 0 : itemsize(step.result); }

}  // namespace

// Returns the bytes of an element that a step reads of memory, without what it or another one has
// read just before.
int64_t Steps::bytes_read(const StepOperand& operand, uint64_t& read) const {
  const StepMemory& from = memory[operand.index];
  const uint64_t before = std::exchange(read, read | uint64_t{1} << operand.index);
  if (!is_plain && (!is_whole(shape, from.strides) || reads_little(*this, from))) return 0;
  for (size_t k = 0; k < memory.size(); ++k)
    if ((before >> k & 1) != 0 && (k == operand.index || is_shifted(*this, memory[k], from)))
      return 0;
  return itemsize(operand.dtype);
}

int64_t Steps::bytes_read(const Step& step, uint64_t& read) const {
  int64_t bytes = 0;
  for (int k = 0; k < step.operand_count; ++k)
    if (step.operands[k].from == StepOperand::From::memory)
      bytes += bytes_read(step.operands[k], read);
  // Of operands that have holes each element reads one.
  return step.op ? bytes : std::min<int64_t>(bytes, itemsize(step.operands[0].dtype));
}

int64_t Steps::bytes_alone(size_t i) const {
  const Step& step = steps[i];
  uint64_t read = 0;
  int64_t bytes = bytes_of(step) + bytes_read(step, read);
  for (int k = 0; k < step.operand_count; ++k) {
    const StepOperand& operand = step.operands[k];
    const auto is_same = [&](const StepOperand& other) {
      return other.from == operand.from && other.index == operand.index;
    };
    if (operand.from == StepOperand::From::step &&
        std::none_of(step.operands, step.operands + k, is_same))
      bytes += bytes_of(steps[operand.index]);
  }
  return bytes;
}

int64_t Steps::bytes_in_pass(size_t i, uint64_t& read) const {
  const Step& step = steps[i];
  return (step.target < 0 ? 0 : bytes_of(step)) + bytes_read(step, read);
}

bool Steps::has_room_for_maps(std::span<const IndexMap> others) const {
  constexpr int kMostWords = 144;  // of AxisMap, of 8 bytes
  auto maps_read = static_cast<int>(others.size());
  bool is_general = std::ranges::any_of(others, &IndexMap::is_general);
  for (const StepMemory& operand : memory) {
    if (operand.map < 0) continue;
    ++maps_read;
    is_general = is_general || maps[static_cast<size_t>(operand.map)].is_general();
  }
  return maps_read * (is_general ? 6 * shape.size() + 2 : 3 * shape.size()) <= kMostWords;
}

const IndexMap* Steps::map_of(size_t i, int k) const {
  const StepOperand& operand = steps[i].operands[k];
  if (operand.from != StepOperand::From::memory) return nullptr;
  const int8_t map = memory[operand.index].map;
  return map < 0 ? nullptr : &maps[static_cast<size_t>(map)];
}

const char* Steps::name_of(size_t i) const {
  if (steps[i].op) return info(*steps[i].op).name;
  if (steps[i].reduces())
    return info(reductions[static_cast<size_t>(steps[i].result_of)].reduction).name;
  const IndexMap* const map = map_of(i);
  return map != nullptr ? map->name : "cast";
}

bool Steps::is_unwritten(const StepOperand& operand) const {
  return operand.from == StepOperand::From::step && steps[operand.index].target < 0;
}

void Steps::fill_plan(ElementwisePlan& plan, size_t i, int only, void* const* results) const {
  const Step& step = steps[i];
  plan.shape = shape;
  if (step.is_row()) plan.shape[shape.size() - 1] = 1;
  plan.size = size_of(step);
  plan.target_shape = &shape;
  const auto add_memory = [&](const StepMemory& operand) {
    plan.add(operand.dtype, operand.data) = operand.strides;
  };
  const auto add_result = [&](size_t of) {
    if (const int target = steps[of].target; target >= 0)
      return add_memory(memory[static_cast<size_t>(target)]);
    Strides& strides = plan.add(steps[of].result, results[of]);
    if (!steps[of].is_row()) {
      strides = contiguous_strides(shape);
      return;
    }
    Shape rows = shape;
    rows[shape.size() - 1] = 1;
    strides = contiguous_strides(rows);
    strides[shape.size() - 1] = 0;
  };
  add_result(i);
  for (int k = 0; k < step.operand_count; ++k) {
    if (only >= 0 && k != only) continue;
    const StepOperand& operand = step.operands[k];
    if (operand.from == StepOperand::From::scalar)
      plan.add(scalars[operand.index]) = Strides(shape.size(), 0);
    else if (operand.from == StepOperand::From::memory)
      add_memory(memory[operand.index]);
    else
      add_result(operand.index);
  }
}

void Steps::fill_plan(ElementwisePlan& plan, size_t i, void* const* results) const {
  fill_plan(plan, i, -1, results);
}

ReducePlan Steps::plan_of(size_t i, void* const* results) const {
  const Step& step = steps[i];
  const StepOperand& source = step.operands[0];
  const auto [reduction, correction] = reductions[static_cast<size_t>(step.result_of)];
  const int64_t columns = shape.back();
  ReducePlan plan;
  if (source.from == StepOperand::From::memory)
    plan.source = memory[source.index].data;
  else if (const int8_t target = steps[source.index].target; target >= 0)
    plan.source = memory[static_cast<size_t>(target)].data;
  else
    plan.source = results != nullptr ? results[source.index]
                                     : reinterpret_cast<const void*>(MemoryResource::kAlignment);
  plan.source_dtype = source.dtype;
  plan.source_shape = &shape;
  plan.kept = {size / columns};
  plan.reduced = {columns};
  plan.kept_strides = {columns};
  plan.reduced_strides = plan.target_strides = {1};
  plan.divisor = std::max(static_cast<double>(columns) - correction, 0.0);
  plan.root = plain_of(reduction) == Reduction::std;
  plan.correction = correction;
  return plan;
}

std::vector<size_t> Steps::last_uses() const {
  std::vector<size_t> last(steps.size());
  for (size_t i = 0; i < last.size(); ++i) {
    last[i] = i;
    for (int k = 0; k < steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps[i].operands[k];
          operand.from == StepOperand::From::step)
        last[operand.index] = i;
  }
  return last;
}

}  // namespace gpuarray
