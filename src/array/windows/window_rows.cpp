// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a window has an element of for each row.
#include <algorithm>

#include "array/windows/window.hpp"
#include "backend/backend.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/layout.hpp"

namespace gpuarray::ops {

bool Window::is_on_rows(const Joining& joining) const {
  if (joining.reduction != nullptr || !is_of_rows(joining.target)) return false;
  return std::ranges::any_of(joining.operands, [&](const Operand& operand) {
    const int made = operand.array() == nullptr ? -1 : maker(*operand.array()->buffer());
    return made >= 0 && steps_.steps[static_cast<size_t>(made)].is_row();
  });
}

bool Window::is_of_rows(const Array& array) const {
  const int axes = steps_.shape.size(), own = array.ndim();
  if (axes < 2 || own < axes - 1 || own > axes || array.size() * steps_.shape.back() != steps_.size)
    return false;
  return std::equal(steps_.shape.begin(), steps_.shape.end() - 1, array.shape().begin()) &&
         (own < axes || array.shape().back() == 1);
}

Strides Window::strides_of(const Array& array, const Shape& over) const {
  Strides strides = broadcast_strides(array.shape(), array.strides(), over);
  if (over == steps_.shape) return strides;
  if (strides.size() == steps_.shape.size()) strides.erase(strides.size() - 1);
  strides.push_back(0);
  return strides;
}

Window::Room Window::room_in_rows(const Joining& joining) const {
  if (!joining.maps.empty() || !steps_.maps.empty()) return Room::conflicts;
  if (joining.reduction != nullptr && steps_.reductions.size() == kMostRowReductions)
    return Room::is_full;
  // A row is read and written from its first element to its last.
  const Shape& over = joining.whole().shape();
  for (const Operand& operand : joining.operands)
    if (operand.array() != nullptr && strides_of(*operand.array(), over).back() >> 1 != 0)
      return Room::conflicts;
  if (over != steps_.shape && !joining.target.buffer()->lacks_memory()) return Room::conflicts;
  if (over == steps_.shape && joining.whole().strides().back() != 1) return Room::conflicts;
  if (joining.reduction != nullptr) {
    for (const StepMemory& memory : steps_.memory)
      if (memory.strides.back() >> 1 != 0) return Room::conflicts;
    for (size_t i = 0; i < made_.size(); ++i)
      if (!steps_.steps[i].is_row() && made_[i].target.strides.back() != 1) return Room::conflicts;
    // A row begins where it would if the elements were stored.
    const int source = maker(*joining.whole().buffer());
    if (source >= 0 && joining.whole().offset() % 16 != 0) return Room::conflicts;
  }
  return may_hold_rows(joining) ? Room::yes : Room::is_full;
}

bool Window::may_hold_rows(const Joining& joining) const {
  int64_t bytes = 0;
  int widest = itemsize(joining.target.dtype());
  int value = joining.reduction == nullptr ? 0 : itemsize(joining.whole().dtype());
  const auto add = [&](DType dtype, bool is_whole) {
    widest = std::max(widest, itemsize(dtype));
    if (is_whole) bytes += itemsize(dtype);
  };
  for (const StepMemory& memory : steps_.memory) add(memory.dtype, memory.strides.back() != 0);
  for (const Operand& operand : joining.operands)
    if (const Array* array = operand.array(); array != nullptr && maker(*array->buffer()) < 0)
      add(array->dtype(), strides_of(*array, joining.whole().shape()).back() != 0);
  for (const Step& step : steps_.steps) {
    widest = std::max(widest, itemsize(step.result));
    if (step.reduces()) value = std::max(value, itemsize(step.operands[0].dtype));
  }
  return backend_of(device()).may_hold_rows(steps_.shape.back(), bytes, widest, value);
}

}  // namespace gpuarray::ops
