// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions of _core that gpuarray/_indexing/indexing.py calls.
#include "array/indexed_ops.hpp"
#include "array/operand.hpp"
#include "array/select.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/integers.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/advanced_index.hpp"
#include "py/operations/assigned_value.hpp"
#include "py/operations/parts.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray::py {
namespace {

// Converts the name for errors and the mode of out-of-bounds indices. Throws ValueError.
ops::Taking to_taking(PyObject* operation, PyObject* mode) {
  const std::string text = to_text(mode, "mode");
  ops::Taking how{kept_for_process(to_text(operation, "operation")), IndexMode::raise};
  if (text == "wrap")
    how.mode = IndexMode::wrap;
  else if (text == "clip")
    how.mode = IndexMode::clip;
  else if (text != "raise")
    throw ValueError("clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + text + "')");
  return how;
}

Ref take(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<6> kSignature{
      "_take", {"operation", "a", "indices", "axis", "mode", "out"}, 5};
  auto [operation, a, indices, axis, mode, out] = parse(kSignature, args, nargs, kwnames);
  const Array& source = require_array(a, "take");
  const ops::Taking how = to_taking(operation, mode);
  const Array chosen = to_index_array(indices, source, true);
  const int number = normalize_axis(to_integer(axis, "axis"), source.ndim());
  const Array* target = optional_array(out, "out");
  Array made = without_gil_if(runs_long(source.device(), chosen.size()),
                              [&] { return ops::take(source, chosen, number, how, target); });
  return target != nullptr ? Ref::borrow(out) : new_array(std::move(made));
}

Ref take_along(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{"_take_along", {"operation", "a", "indices", "axis"}, 4};
  auto [operation, a, indices, axis] = parse(kSignature, args, nargs, kwnames);
  const Array& source = require_array(a, "take_along_axis");
  const ops::Taking how{kept_for_process(to_text(operation, "operation"))};
  const Array chosen = to_index_array(indices, source, false);
  const int number = normalize_axis(to_integer(axis, "axis"), source.ndim());
  return new_array(compute(source, [&] { return ops::take_along(source, chosen, number, how); }));
}

Ref put_along(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<7> kSignature{
      "_put_along", {"operation", "a", "indices", "values", "axis", "mode", "distinct"}, 6};
  auto [operation, a, indices, values, axis, mode, distinct] =
      parse(kSignature, args, nargs, kwnames);
  const Array& target = require_array(a, "put_along_axis");
  ops::Taking how = to_taking(operation, mode);
  how.distinct = distinct != nullptr && checked_status(PyObject_IsTrue(distinct));
  const Array chosen = to_index_array(indices, target, false);
  const int number = normalize_axis(to_integer(axis, "axis"), target.ndim());
  const AssignedValue value(values, target.dtype(), target.device(), how.operation);
  compute(target, [&] { ops::put_along(target, chosen, value, number, how); });
  return none();
}

Ref nonzero(PyObject*, PyObject* mask) {
  const Array& flags = require_array(mask, "nonzero");
  if (flags.dtype() != DType::bool_) throw TypeError("_nonzero: expected bool");
  return new_array(without_gil([&] { return ops::nonzero_of(flags, false); }));
}

// Returns whether the operation can combine elements of the dtype in place: its loop must have that
// dtype as its result. Elements of 16 bytes cannot be exchanged atomically; only addition, which
// works on both parts separately, is possible for them.
bool combines(Op op, DType dtype) {
  if (itemsize(dtype) == 16) return op == Op::add;
  const LoopTypes* loop = loop_of(op, dtype);
  return loop != nullptr && loop->result == dtype;
}

Ref combine_at(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<5> kSignature{
      "_combine_at", {"operation", "op", "a", "key", "values"}, 5};
  auto [operation, op, a, key, values] = parse(kSignature, args, nargs, kwnames);
  const char* what = kept_for_process(to_text(operation, "operation"));
  const Array& target = require_array(a, what);
  const std::string text = to_text(op, "op");
  const std::optional<Op> found = op_from_name(text);
  if (!found || info(*found).arity != 2 || !combines(*found, target.dtype()))
    throw TypeError(std::string(what) + ": not implemented for dtype " + name(target.dtype()));
  const Key entries = to_key(key, target);
  const AssignedValue value(values, target.dtype(), target.device(), what);
  compute(target, [&] { ops::combine_indexed(*found, target, entries, value, what); });
  return none();
}

}  // namespace

MethodRows indexing_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_take", method<take>, kCall,
       R"(_take($module, operation, a, indices, axis, mode, out=None)
--

numpy.take along an axis; errors name `operation`.)"},
      {"_take_along", method<take_along>, kCall,
       R"(_take_along($module, operation, a, indices, axis)
--

numpy.take_along_axis.)"},
      {"_put_along", method<put_along>, kCall,
       R"(_put_along($module, operation, a, indices, values, axis, mode, distinct=False)
--

numpy.put_along_axis; `distinct` promises that no element is meant twice.)"},
      {"_nonzero", method<nonzero>, METH_O,
       R"(_nonzero($module, mask, /)
--

The indices of the true elements of a mask, an axis a row.)"},
      {"_combine_at", method<combine_at>, kCall,
       R"(_combine_at($module, operation, op, a, key, values)
--

a[key] = a[key] op values, once for each value.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
