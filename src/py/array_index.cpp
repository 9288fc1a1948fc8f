// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <optional>
#include <span>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/advanced_index.hpp"
#include "py/array_object.hpp"
#include "py/assigned_value.hpp"
#include "py/compute.hpp"
#include "py/convert.hpp"
#include "py/parts.hpp"
#include "py/slot.hpp"

namespace gpuarray::py {
namespace {

constexpr Py_ssize_t kMaxIndices = 2 * kMaxDims + 1;  // an axis and a new one each, and an ellipsis

// The view that a key without arrays gives; nullopt for another.
std::optional<Array> view_of(PyObject* self, PyObject* key) {
  const Array& array = as_array(self);
  if (!PyTuple_Check(key)) {
    Index index;
    if (!to_basic_index(key, index)) return std::nullopt;
    return index_view(array, {&index, 1});
  }
  const Py_ssize_t count = PyTuple_Size(key);
  if (count > kMaxIndices)
    throw IndexError("too many indices for array: array is " + std::to_string(array.ndim()) +
                     "-dimensional, but " + std::to_string(count) + " were indexed");
  std::array<Index, kMaxIndices> indices;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!to_basic_index(PyTuple_GetItem(key, i), indices[i])) return std::nullopt;
  return index_view(array, {indices.data(), static_cast<std::size_t>(count)});
}

Ref array_subscript(PyObject* self, PyObject* key) {
  if (std::optional<Array> view = view_of(self, key)) [[likely]]
    return new_array(std::move(*view), self);
  return get_advanced(self, key);
}

void array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) throw ValueError("cannot delete array elements");
  const std::optional<Array> target = view_of(self, key);
  if (!target) return set_advanced(self, key, value);
  if (!target->writable()) throw ReadOnlyError("assignment: the array is read-only");
  const Operand source = assigned_value(value, target->dtype(), "assignment");
  compute(*target, [&] { ops::assign(*target, source); });
}

Py_ssize_t array_length(PyObject* self) {
  const Array& array = as_array(self);
  if (array.ndim() == 0) throw TypeError("len() of unsized object");
  return array.shape()[0];
}

// `at` is never negative: the interpreter adds the length first.
Ref array_sequence_item(PyObject* self, Py_ssize_t at) {
  const Index index{IndexKind::integer, at};
  return new_array(index_view(as_array(self), {&index, 1}), self);
}

Ref array_iterate(PyObject* self) {
  if (as_array(self).ndim() == 0) throw TypeError("iteration over a 0-d array");
  return checked(PySeqIter_New(self));
}

bool any_true(const Array& flags) {
  std::vector<int> axes;
  for (int axis = 0; axis < flags.ndim(); ++axis) axes.push_back(axis);
  return host_element(ops::reduce(Reduction::any, flags, axes, false)).as<bool>();
}

// value in a: whether any element equals it.
int array_contains(PyObject* self, PyObject* value) {
  const Array& array = as_array(self);
  const std::optional<Operand> wanted = as_operand(value);
  if (!wanted) throw TypeError("in: expected a GPUArray or a scalar, got " + type_name(value));
  const std::array<Operand, 2> operands{Operand(array), *wanted};
  return any_true(compute(array, [&] { return ops::elementwise(Op::equal, operands); }));
}

}  // namespace

SlotRows index_slots() {
  static const PyType_Slot rows[] = {
      {Py_mp_length, slot<array_length>},
      {Py_mp_subscript, slot<array_subscript>},
      {Py_mp_ass_subscript, slot<array_assign_subscript>},
      {Py_sq_length, slot<array_length>},
      {Py_sq_item, slot<array_sequence_item>},
      {Py_sq_contains, slot<array_contains>},
      {Py_tp_iter, slot<array_iterate>},
  };
  return rows;
}

}  // namespace gpuarray::py
