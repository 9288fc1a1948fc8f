// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/steps.hpp"

namespace gpuarray::ops {
namespace {

// Copies the source as the map says, at once.
void move(const Array& target, const Array& source, const IndexMap& map) {
  Access access(current_stream(target.device()));
  Steps steps;
  steps.way = Steps::Way::alone;
  steps.shape = target.shape();
  steps.size = target.size();
  steps.is_plain = false;
  steps.maps.push_back(map);
  steps.memory.emplace_back(access.write(target), target.dtype(), target.strides());
  steps.memory.emplace_back(const_cast<void*>(access.read(source)), source.dtype(),
                            source.strides(), 0);
  Step& step = steps.steps.emplace_back();
  step.loop = step.result = source.dtype();
  step.operand_count = 1;
  step.operands[0] = {StepOperand::From::memory, 1, source.dtype()};
  step.target = 0;
  backend_of(target.device()).steps(steps, access.stream());
}

}  // namespace

Array roll(const Array& source, const Dims& shifts) {
  Array target = result_like(source, source.dtype(), 'K');
  if (target.size() == 0) return target;
  IndexMap map{Dims(source.ndim(), 0)};
  bool moves = false;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    const int64_t extent = source.shape()[axis], shift = shifts[axis] % extent;
    map.wraps[axis] = shift > 0 ? extent - shift : -shift;
    moves |= shift != 0;
  }
  const Operand operand = source;
  const std::span<const Operand> operands(&operand, 1);
  if (!moves)
    compute(std::nullopt, source.dtype(), target, operands);
  else if (!join_window({std::nullopt, source.dtype(), target, operands, &map}))
    move(target, source, map);
  return target;
}

}  // namespace gpuarray::ops
