// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "core/layout.hpp"

namespace gpuarray {
namespace {

[[noreturn]] void throw_no_broadcast(std::span<const Shape> shapes, const char* what) {
  std::string text = std::string(what) + ": shapes ";
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += i + 1 == shapes.size() ? " and " : ", ";
    text += to_string(shapes[i]);
  }
  throw ShapeError(text + " do not broadcast");
}

// Whether every operand walks `outer` and `inner` as one axis.
bool mergeable(const Shape& shape, std::span<const Strides> strides, int outer, int inner) {
  for (const Strides& operand : strides)
    if (operand[outer] != operand[inner] * shape[inner]) return false;
  return true;
}

void swap_axes(Shape& shape, std::span<Strides> strides, int a, int b) {
  std::swap(shape[a], shape[b]);
  for (Strides& operand : strides) std::swap(operand[a], operand[b]);
}

// Whether axis `a` belongs outside axis `b`: the one with the larger stride in the first operand
// does, and later operands decide between equal strides.
bool belongs_outside(std::span<const Strides> strides, int a, int b) {
  for (const Strides& operand : strides) {
    int64_t left = std::abs(operand[a]);
    int64_t right = std::abs(operand[b]);
    if (left != right) return left > right;
  }
  return false;
}

}  // namespace

Shape broadcast_shapes(std::span<const Shape> shapes, const char* what) {
  int ndim = 0;
  for (const Shape& shape : shapes) ndim = std::max(ndim, shape.size());
  Shape result(ndim, 1);
  for (const Shape& shape : shapes) {
    int lead = ndim - shape.size();
    for (int axis = 0; axis < shape.size(); ++axis) {
      int64_t extent = shape[axis];
      if (extent == 1 || extent == result[lead + axis]) continue;
      if (result[lead + axis] != 1) throw_no_broadcast(shapes, what);
      result[lead + axis] = extent;
    }
  }
  return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  Strides result(target.size(), 0);
  int lead = target.size() - shape.size();
  for (int axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1) result[lead + axis] = strides[axis];
  return result;
}

void merge_axes(Shape& shape, std::span<Strides> strides) {
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] != 1) continue;
    shape.erase(axis);
    for (Strides& operand : strides) operand.erase(axis);
  }
  for (int axis = shape.size() - 1; axis > 0; --axis) {
    if (!mergeable(shape, strides, axis - 1, axis)) continue;
    shape[axis] *= shape[axis - 1];
    shape.erase(axis - 1);
    for (Strides& operand : strides) operand.erase(axis - 1);
  }
}

void collapse(Shape& shape, std::span<Strides> strides) {
  for (int i = 1; i < shape.size(); ++i)
    for (int axis = i; axis > 0 && belongs_outside(strides, axis, axis - 1); --axis)
      swap_axes(shape, strides, axis, axis - 1);
  merge_axes(shape, strides);
}

}  // namespace gpuarray
