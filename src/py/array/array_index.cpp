// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <array>
#include <span>

#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/advanced_index.hpp"
#include "py/operations/assigned_value.hpp"

namespace gpuarray::py {

namespace {

// For each axis an index and a newaxis, and an ellipsis.
constexpr Py_ssize_t kMaxIndices = 2 * kMaxDims + 1;

// Calls basic(indices) for a key without arrays, else advanced(indices) with those of the entries
// before the first that is not a basic index.
template <class Basic, class Advanced>
auto by_kind(const Array& array, PyObject* key, Basic&& basic, Advanced&& advanced) {
  if (!PyTuple_Check(key)) {
    Index index;
    if (!to_basic_index(key, index)) return advanced(std::span<const Index>());
    return basic(std::span<const Index>(&index, 1));
  }
  const Py_ssize_t count = PyTuple_Size(key);
  if (count > kMaxIndices)
    throw IndexError("too many indices for array: array is " + std::to_string(array.ndim()) +
                     "-dimensional, but " + std::to_string(count) + " were indexed");
  std::array<Index, kMaxIndices> indices;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!to_basic_index(PyTuple_GetItem(key, i), indices[i]))
      return advanced(std::span<const Index>(indices.data(), static_cast<std::size_t>(i)));
  return basic(std::span<const Index>(indices.data(), static_cast<std::size_t>(count)));
}

// Returns whether the indices are an integer for each axis.
bool names_element(const Array& array, std::span<const Index> indices) {
  const auto is_integer = [](const Index& index) { return index.kind == IndexKind::integer; };
  return std::ssize(indices) == array.ndim() && std::ranges::all_of(indices, is_integer);
}

Ref indexed(const Array& array, std::span<const Index> indices, PyObject* self) {
  if (names_element(array, indices) && !views_elements(self))
    return new_array(ops::value_of(index_view(array, indices)));
  return new_array(index_view(array, indices), self);
}

// Throws ValueError, as NumPy does, for an array of one element or more axes that would be assigned
// to a single element.
void require_element(const Array* source) {
  if (source != nullptr && source->ndim() != 0)
    throw ValueError(
        "assignment: setting an array element with a sequence: expected a scalar or "
        "an array of no dimensions, got shape " +
        to_string(source->shape()) + "; index the value, or assign to a slice");
}

Ref array_subscript(PyObject* self, PyObject* key) {
  const Array& array = as_array(self);
  return by_kind(
      array, key, [&](std::span<const Index> indices) { return indexed(array, indices, self); },
      [&](std::span<const Index> first) { return get_advanced(self, key, first); });
}

void array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  if (value == nullptr) throw ValueError("cannot delete array elements");
  const Array& array = as_array(self);
  const auto assign = [&](std::span<const Index> indices) {
    const Array target = index_view(array, indices);
    ops::require_writable(target, "assignment");
    const AssignedValue source(value, target.dtype(), target.device(), "assignment",
                               RangeCheck::elements);
    if (target.ndim() == 0 && names_element(array, indices))
      require_element(source.operand().array());
    compute(target, [&] { ops::assign(target, source); });
  };
  by_kind(array, key, assign,
          [&](std::span<const Index> first) { set_advanced(self, key, first, value); });
}

Py_ssize_t array_length(PyObject* self) {
  const Array& array = as_array(self);
  if (array.ndim() == 0)
    throw TypeError(
        "len() of unsized object, an array of no dimensions; a.size counts its element");
  return array.shape()[0];
}

// Returns a[at]. The interpreter adds the length to negative positions first.
Ref array_sequence_item(PyObject* self, Py_ssize_t at) {
  const Index index{IndexKind::integer, at};
  return indexed(as_array(self), {&index, 1}, self);
}

// Ends an iteration without a C++ exception, which takes longer than a dozen items.
PyObject* array_sequence_item_or_end(PyObject* self, Py_ssize_t at) noexcept {
  const Shape& shape = as_array(self).shape();
  if (shape.size() == 0 || at < shape[0])
    return reinterpret_cast<ssizeargfunc>(slot<array_sequence_item>)(self, at);
  return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", at,
                      static_cast<Py_ssize_t>(shape[0]));
}

Ref array_iterate(PyObject* self) {
  if (as_array(self).ndim() == 0)
    throw TypeError("iteration over a 0-d array; a.item() is its element");
  return checked(PySeqIter_New(self));
}

bool any_true(const Array& flags) {
  return host_element(ops::reduce_all(Reduction::any, flags)).as<bool>();
}

// Implements `value in a`: whether any element equals the value. Waits for the device.
int array_contains(PyObject* self, PyObject* value) {
  const Array& array = as_array(self);
  const std::optional<Operand> wanted = as_operand(value);
  const bool is_text = PyUnicode_Check(value) || PyBytes_Check(value);
  if (!wanted && (is_text || !PySequence_Check(value))) return false;  // as == gives
  if (!wanted)
    throw TypeError("in: expected a GPUArray or a scalar, got " + type_name(value) +
                    "; convert with gpuarray.to_device(x)");
  const std::array<Operand, 2> operands{Operand(array), *wanted};
  return any_true(compute(array, [&] { return ops::elementwise(Op::equal, operands); }));
}

}  // namespace

SlotRows index_slots() {
  static const PyType_Slot rows[] = {
      {Py_mp_length, slot<array_length, Entry::joins>},
      {Py_mp_subscript, slot<array_subscript, Entry::joins>},
      {Py_mp_ass_subscript, slot<array_assign_subscript, Entry::joins>},
      {Py_sq_length, slot<array_length, Entry::joins>},
      {Py_sq_item, reinterpret_cast<void*>(&array_sequence_item_or_end)},
      {Py_sq_contains, slot<array_contains>},
      {Py_tp_iter, slot<array_iterate>},
  };
  return rows;
}

}  // namespace gpuarray::py
