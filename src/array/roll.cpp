// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/steps.hpp"

namespace gpuarray::ops {
namespace {

Array new_like(const Array& source) {
  const DType dtype = source.dtype();
  if (!source.is_c_contiguous()) return empty_like(source, source.shape(), dtype, 'K');
  BufferPtr memory = memory_for_result(source.shape(), dtype, source.device());
  if (memory == nullptr)
    memory = Buffer::allocate(source.nbytes(), current_stream(source.device()));
  return source.in_memory(std::move(memory), dtype);
}

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
  Array target = new_like(source);
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
