// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

// Returns the shape as NumPy's message spells it: without spaces, and "newaxis" for the -1.
std::string reshape_target(const Shape& shape) {
  std::string text = "(";
  for (int64_t extent : shape)
    text += (extent < 0 ? std::string("newaxis") : std::to_string(extent)) + ",";
  if (shape.size() > 1) text.pop_back();
  return text + ")";
}

[[noreturn]] void throw_reshape(int64_t size, const Shape& shape) {
  throw ShapeError("cannot reshape array of size " + std::to_string(size) + " into shape " +
                   reshape_target(shape));
}

// Replaces the -1 of `shape`, and checks that it holds `size` elements.
Shape complete_shape(const Shape& shape, int64_t size) {
  if (std::count(shape.begin(), shape.end(), -1) > 1)
    throw ValueError("can only specify one unknown dimension");
  Shape known;
  int unknown = -1;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1) unknown = axis;
    known.push_back(shape[axis] == -1 ? 1 : shape[axis]);
  }
  const int64_t count = element_count(known);
  if (unknown < 0) {
    if (count != size) throw_reshape(size, shape);
    return known;
  }
  if (count == 0 || size % count != 0) throw_reshape(size, shape);
  known[unknown] = size / count;
  return known;
}

Array reshape_c(const Array& array, const Shape& shape) {
  if (std::optional<Strides> strides = reshape_strides(array.shape(), array.strides(), shape))
    return array.view(shape, *strides);
  return ops::copy(array, 'C').view(shape, contiguous_strides(shape));
}

char resolve_any_order(const Array& array, char order) {
  if (order != 'A') return order;
  return array.is_f_contiguous() && !array.is_c_contiguous() ? 'F' : 'C';
}

// Returns a view with the axes in memory order, so that its C order is order 'K' of the array. The
// axes are inserted from the last one on, as NumPy's iterators do, so an axis of stride 0 moves no
// other.
Array memory_order(const Array& array) {
  const auto step = [&](int64_t axis) { return std::abs(array.strides()[static_cast<int>(axis)]); };
  std::vector<int64_t> inner_first;
  for (int64_t axis = array.ndim() - 1; axis >= 0; --axis) {
    auto place = inner_first.end();
    for (auto it = place; it != inner_first.begin() && step(axis) != 0;) {
      --it;
      if (step(*it) == 0) continue;
      if (step(*it) <= step(axis)) break;
      place = it;
    }
    inner_first.insert(place, axis);
  }
  std::reverse(inner_first.begin(), inner_first.end());
  return transpose(array, inner_first);
}

// Returns a view whose C order is `order` of the array.
Array as_c_order(const Array& array, char order) {
  order = resolve_any_order(array, order);
  if (order == 'K') return memory_order(array);
  return order == 'F' ? transpose(array) : array;
}

}  // namespace

Array reshape(const Array& array, const Shape& shape, char order) {
  const Shape target = complete_shape(shape, array.size());
  if (resolve_any_order(array, order) == 'C') return reshape_c(array, target);
  Shape reversed = target;
  std::reverse(reversed.begin(), reversed.end());
  return transpose(reshape_c(transpose(array), reversed));
}

Array ravel(const Array& array, char order) {
  return reshape_c(as_c_order(array, order), Shape{array.size()});
}

Array flatten(const Array& array, char order) {
  const Shape flat{array.size()};
  return ops::copy(as_c_order(array, order), 'C').view(flat, Strides{1});
}

}  // namespace gpuarray
