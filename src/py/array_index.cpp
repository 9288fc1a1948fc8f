// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <span>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array_object.hpp"
#include "py/assigned_value.hpp"
#include "py/compute.hpp"
#include "py/convert.hpp"
#include "py/numpy.hpp"
#include "py/parts.hpp"
#include "py/slot.hpp"

namespace gpuarray::py {
namespace {

[[noreturn]] void refuse_index(PyObject* key) {
  throw IndexError(
      "only integers, slices (`:`), ellipsis (`...`) and None (newaxis) are valid indices; got " +
      type_name(key));
}

bool is_integer_index(PyObject* key) {
  if (PyLong_Check(key)) return !PyBool_Check(key);
  if (is_array(key)) return as_array(key).ndim() == 0 && is_integer(as_array(key).dtype());
  if (is_ndarray(key)) return is_numpy_0d(key) && is_integer(host_array(key).dtype);
  return PyIndex_Check(key);
}

int64_t to_integer_index(PyObject* key) {
  const Py_ssize_t value = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

Index to_slice(PyObject* key) {
  Py_ssize_t start, stop, step;
  checked_status(PySlice_Unpack(key, &start, &stop, &step));
  return {IndexKind::slice, start, stop, step};
}

Index to_index(PyObject* key) {
  if (PySlice_Check(key)) return to_slice(key);
  if (key == Py_None) return {IndexKind::newaxis};
  if (key == Py_Ellipsis) return {IndexKind::ellipsis};
  if (!is_integer_index(key)) refuse_index(key);
  return {IndexKind::integer, to_integer_index(key)};
}

constexpr Py_ssize_t kMaxIndices = 2 * kMaxDims + 1;  // an axis and a new one each, and an ellipsis

Array view_of(PyObject* self, PyObject* key) {
  const Array& array = as_array(self);
  if (!PyTuple_Check(key)) {
    const Index index = to_index(key);
    return index_view(array, {&index, 1});
  }
  const Py_ssize_t count = PyTuple_Size(key);
  if (count > kMaxIndices)
    throw IndexError("too many indices for array: array is " + std::to_string(array.ndim()) +
                     "-dimensional, but " + std::to_string(count) + " were indexed");
  std::array<Index, kMaxIndices> indices;
  for (Py_ssize_t i = 0; i < count; ++i) indices[i] = to_index(PyTuple_GetItem(key, i));
  return index_view(array, {indices.data(), static_cast<std::size_t>(count)});
}

Ref array_subscript(PyObject* self, PyObject* key) { return new_array(view_of(self, key), self); }

void array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) throw ValueError("cannot delete array elements");
  const Array target = view_of(self, key);
  if (!target.writable()) throw ReadOnlyError("assignment: the array is read-only");
  const Operand source = assigned_value(value, target.dtype(), "assignment");
  compute(target, [&] { ops::assign(target, source); });
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
