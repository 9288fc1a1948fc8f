// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What one result of a window needs, for reductions that compute it.
#include <algorithm>

#include "array/windows/window.hpp"

namespace gpuarray::ops {
namespace {

// Returns where in the list the number is, to which it is added if it is new.
uint8_t place_in(std::vector<uint8_t>& list, uint8_t number) {
  const auto found = std::ranges::find(list, number);
  const auto place = found - list.begin();
  if (found == list.end()) list.push_back(number);
  return static_cast<uint8_t>(place);
}

}  // namespace

size_t Window::find_needed(size_t count, bool (&is_needed)[kMostOperations]) const {
  size_t needed = 0;
  for (size_t i = count; i-- > 0;) {
    if (!is_needed[i]) continue;
    ++needed;
    for (int k = 0; k < steps_.steps[i].operand_count; ++k)
      if (const StepOperand& operand = steps_.steps[i].operands[k];
          operand.from == StepOperand::From::step)
        is_needed[operand.index] = true;
  }
  return needed;
}

bool Window::part_for(const Array& array, Part& part) const {
  const int last = maker(*array.buffer());
  if (last < 0) return false;
  const auto count = static_cast<size_t>(last) + 1;
  const Made& made = made_[count - 1];
  if (!made.is_plain || !array.is_c_contiguous() || made.offset != array.offset() ||
      made.target.dtype != array.dtype() || array.size() != steps_.size)
    return false;
  bool is_needed[kMostOperations] = {};
  is_needed[last] = true;
  if (find_needed(count, is_needed) > kMostOfPart) return false;
  part.steps.shape = steps_.shape;
  part.steps.size = steps_.size;
  // The numbers in the window of what the part has: steps, memory and scalars.
  std::vector<uint8_t> taken[3];
  for (size_t i = 0; i < count; ++i) {
    if (!is_needed[i]) continue;
    if (steps_.steps[i].is_row()) return false;
    Step& step = part.steps.steps.emplace_back(steps_.steps[i]);
    for (int k = 0; k < step.operand_count; ++k)
      step.operands[k].index =
          place_in(taken[static_cast<int>(step.operands[k].from)], step.operands[k].index);
    taken[static_cast<int>(StepOperand::From::step)].push_back(static_cast<uint8_t>(i));
  }
  int whole = 0;
  for (uint8_t k : taken[static_cast<int>(StepOperand::From::memory)]) {
    if (steps_.memory[k].map >= 0) return false;
    part.steps.memory.push_back(steps_.memory[k]);
    part.steps.is_plain = part.steps.is_plain && read_[k].is_plain;
    part.read.push_back(read_[k]);
    whole += is_whole(steps_.shape, steps_.memory[k].strides);
  }
  for (uint8_t k : taken[static_cast<int>(StepOperand::From::scalar)])
    part.steps.scalars.push_back(steps_.scalars[k]);
  return whole <= kMostReadByPart;
}

void Window::note_computed(const Array& array) {
  const int last = maker(*array.buffer());
  if (last < 0) return;
  bool is_needed[kMostOperations] = {};
  is_needed[last] = true;
  find_needed(static_cast<size_t>(last) + 1, is_needed);
  for (int i = 0; i <= last; ++i) made_[static_cast<size_t>(i)].is_computed |= is_needed[i];
}

}  // namespace gpuarray::ops
