// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/assigned_value.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<2> kCopy{
    .function = "copy", .names = {"order", "stream"}, .required = 0, .positional = 1};
constexpr Signature<2> kFill{
    .function = "fill", .names = {"value", "stream"}, .required = 1, .positional = 1};
constexpr Signature<5> kAstype{.function = "astype",
                               .names = {"dtype", "order", "casting", "copy", "stream"},
                               .required = 1,
                               .positional = 3};

Ref copied(const Array& array, char order) {
  return new_array(compute(array, [&] { return ops::copy(array, order); }));
}

Ref array_copy(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [order, stream] = parse(kCopy, args, nargs, kwnames);
  const StreamScope scope(stream, as_array(self).device());
  return copied(as_array(self), to_order(order, "CFAK", 'C'));
}

Ref array_shallow_copy(PyObject* self, PyObject*) { return copied(as_array(self), 'K'); }

constexpr const char* kCastingNames[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

Casting to_casting(PyObject* object) {
  if (!is_given(object)) return Casting::unsafe;
  const std::string text = to_text(object, "casting");
  for (int rule = 0; rule < 5; ++rule)
    if (text == kCastingNames[rule]) return static_cast<Casting>(rule);
  throw ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', got '" +
                   text + "'");
}

// Throws TypeError if the rule forbids the conversion.
void require_cast(DType from, DType to, Casting casting) {
  if (can_cast(from, to, casting)) return;
  throw TypeError(std::string("Cannot cast array data from ") + name(from) + " to " + name(to) +
                  " according to the rule '" + kCastingNames[static_cast<int>(casting)] + "'");
}

// Returns whether the array is laid out in the order already.
bool has_order(const Array& array, char order) {
  if (order == 'C') return array.is_c_contiguous();
  if (order == 'F') return array.is_f_contiguous();
  return order == 'K' || array.is_c_contiguous() || array.is_f_contiguous();
}

Ref array_astype(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [to, order, casting, copy, stream] = parse(kAstype, args, nargs, kwnames);
  const DType dtype = to_dtype(to);
  const char layout = to_order(order, "CFAK", 'K');
  const bool always = copy == nullptr || checked_status(PyObject_IsTrue(copy)) == 1;
  const Array& array = as_array(self);
  require_cast(array.dtype(), dtype, to_casting(casting));
  if (!always && dtype == array.dtype() && has_order(array, layout)) return Ref::borrow(self);
  const StreamScope scope(stream, array.device());
  return new_array(compute(array, [&] { return ops::astype(array, dtype, layout); }));
}

Ref array_fill(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [value, stream] = parse(kFill, args, nargs, kwnames);
  const Array& array = as_array(self);
  const StreamScope scope(stream, array.device());
  const AssignedValue given(value, array.dtype(), array.device(), "fill", RangeCheck::elements);
  const Array* source = given.operand().array();
  if (source != nullptr && source->ndim() != 0)
    throw ShapeError("fill: expected a scalar or a 0-d GPUArray, got one of shape " +
                     to_string(source->shape()));
  compute(array, [&] { ops::assign(array, given); });
  return none();
}

}  // namespace

MethodRows copy_method_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"copy", method<array_copy, Entry::joins>, kCall,
       R"(copy($self, /, order='C', *, stream=None)
--

A new array with the same elements, made on `stream`, by default the current one. Order 'C',
'F', 'A' or 'K'.)"},
      {"__copy__", method<array_shallow_copy, Entry::joins>, METH_NOARGS,
       R"(__copy__($self, /)
--

The same as copy(order='K').)"},
      {"astype", method<array_astype, Entry::joins>, kCall,
       R"(astype($self, /, dtype, order='K', casting='unsafe', *, copy=True, stream=None)
--

The elements converted to `dtype`, on `stream` or the current one. Without `copy`, the array
itself if it has the dtype and the order. TypeError if `casting` forbids the conversion.)"},
      {"fill", method<array_fill, Entry::joins>, kCall,
       R"(fill($self, /, value, *, stream=None)
--

Sets every element to a scalar, on `stream` or the current one. OverflowError for a Python int
that the dtype cannot hold, ValueError for a read-only array.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
