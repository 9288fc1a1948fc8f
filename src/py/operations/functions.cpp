// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/docstring.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/delegate.hpp"
#include "py/operations/elementwise.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {

namespace {

// Returns the array of out=a, or of out=(a,), which NumPy's ufuncs take too; null if none is given.
// Throws ValueError for a tuple of another length.
[[gnu::always_inline]] inline PyObject* only_out(PyObject* out) {
  if (!is_given(out)) return nullptr;
  if (!PyTuple_Check(out)) return out;
  if (PyTuple_Size(out) != 1) throw ValueError("out: expected an array or a tuple of one array");
  PyObject* item = PyTuple_GetItem(out, 0);
  return item == Py_None ? nullptr : item;
}

// Returns the device on which the operation runs: that of the operands, else that of `out`, else
// the default device.
Device device_of(const Operands& operands, PyObject* out) {
  for (const Operand& operand : std::span<const Operand>(operands))
    if (operand.array() != nullptr) return operand.array()->device();
  return out != nullptr && is_array(out) ? as_array(out).device() : to_device(nullptr);
}

// The trace that records this thread's operations of which all operands are scalars; null outside
// of tracing. Owned; no Ref, which a thread would destroy at its end without the GIL.
thread_local PyObject* scalar_trace = nullptr;

Ref set_trace(PyObject*, PyObject* trace) {
  PyObject* const before =
      std::exchange(scalar_trace, trace == Py_None ? nullptr : Ref::borrow(trace).release());
  return before == nullptr ? none() : Ref::steal(before);
}

bool has_array(const Operands& operands) {
  const std::span<const Operand> all = operands;
  return std::ranges::any_of(all, [](const Operand& one) { return one.array() != nullptr; });
}

// Calls the operation on converted operands; objects that are not operands may override it.
Ref call(Op op, std::span<PyObject* const> objects, PyObject* out, PyObject* dtype,
         PyObject* stream) {
  const char* name = info(op).name;
  auto operands = as_operands(name, objects);
  if (!operands) {
    if (Ref made = call_override(name, objects, {{"out", out}, {"dtype", dtype}})) return made;
    const std::vector<Ref> arrays = arrays_of_lists(name, objects, only_out(out));
    if (arrays.empty()) refuse_operands(name, objects);
    PyObject* converted[3] = {};
    std::ranges::transform(arrays, converted, &Ref::get);
    return call(op, {converted, arrays.size()}, out, dtype, stream);
  }
  PyObject* target = only_out(out);
  if (scalar_trace != nullptr && target == nullptr && !has_array(*operands)) [[unlikely]]
    return call_override(name, objects, {{"dtype", dtype}}, scalar_trace);
  std::optional<StreamScope> scope;
  if (stream != nullptr) scope.emplace(stream, device_of(*operands, target));
  if (target == nullptr)
    return new_array(run_elementwise(op, *operands, nullptr, to_optional_dtype(dtype)));
  const Array& array = require_array(target, "out");
  run_elementwise(op, *operands, &array, to_optional_dtype(dtype));
  return Ref::borrow(target);
}

template <Op op>
Ref unary(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Signature<4> kSignature{info(op).name, {"x", "out", "dtype", "stream"}, 1, 2, 1};
  auto values = parse(kSignature, args, nargs, kwnames);
  return call(op, {values.data(), 1}, values[1], values[2], values[3]);
}

template <Op op>
Ref binary(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Signature<5> kSignature{
      info(op).name, {"x1", "x2", "out", "dtype", "stream"}, 2, 3, 2};
  auto values = parse(kSignature, args, nargs, kwnames);
  return call(op, {values.data(), 2}, values[2], values[3], values[4]);
}

// Implements where(condition), which is nonzero(condition).
Ref nonzero(PyObject* condition, PyObject* out, PyObject* stream) {
  if (out != nullptr) throw TypeError("where: out needs x and y");
  Ref kwargs = checked(PyDict_New());
  if (stream != nullptr) checked_status(PyDict_SetItemString(kwargs.get(), "stream", stream));
  return call_python_method("nonzero", condition, nullptr, kwargs.get());
}

Ref where(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<5> kSignature{
      "where", {"condition", "x", "y", "out", "stream"}, 1, 4, 3};
  auto values = parse(kSignature, args, nargs, kwnames);
  if ((values[1] == nullptr) != (values[2] == nullptr))
    throw ValueError("where: either both or neither of x and y should be given");
  if (values[1] == nullptr) return nonzero(values[0], values[3], values[4]);
  return call(Op::where, {values.data(), 3}, values[3], nullptr, values[4]);
}

// Returns whether a Python int is at or below the least value of `dtype`, or, if `upper`, at or
// above the greatest.
bool is_beyond(PyObject* bound, DType dtype, bool upper) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(bound, &overflow);
  bool is_signed = kind(dtype) == 'i';
  if (!upper && !is_signed) return overflow < 0 || (overflow == 0 && value <= 0);
  if (overflow != 0 && (is_signed || overflow < 0)) return (overflow > 0) == upper;
  int bits = 8 * itemsize(dtype) - is_signed;
  uint64_t greatest = UINT64_MAX >> (64 - bits);
  // The conversion gives UINT64_MAX if the bound is larger still.
  if (overflow > 0) return PyLong_AsUnsignedLongLong(bound) >= greatest;
  if (!upper) return value <= -static_cast<int64_t>(greatest) - 1;
  return value >= 0 && static_cast<uint64_t>(value) >= greatest;
}

// Returns whether a bound of clip() can change an element. As in NumPy, None does not, nor does a
// Python int that no value of the dtype lies beyond.
bool limits(PyObject* a, PyObject* bound, bool upper) {
  if (!is_given(bound)) return false;
  if (!is_array(a) || !is_integer(as_array(a).dtype()) || !PyLong_CheckExact(bound)) return true;
  bool beyond = is_beyond(bound, as_array(a).dtype(), upper);
  PyErr_Clear();
  return !beyond;
}

Ref clip(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<6> kSignature{
      "clip", {"a", "min", "max", "out", "dtype", "stream"}, 1, 4, 1};
  auto [a, min, max, out, dtype, stream] = parse(kSignature, args, nargs, kwnames);
  bool has_min = limits(a, min, false), has_max = limits(a, max, true);
  PyObject* objects[] = {a, has_min ? min : max, max};
  if (has_min && has_max) return call(Op::clip, objects, out, dtype, stream);
  if (has_min || has_max)
    return call(has_min ? Op::maximum : Op::minimum, {objects, 2}, out, dtype, stream);
  return call(Op::positive, {objects, 1}, out, dtype, stream);
}

// The text that follows the line of documentation of each row in ops.def.
constexpr const char* kNote = R"(

Operands are GPUArrays of one device, Python or NumPy scalars and lists of them, of any supported
dtypes, and broadcast. The result is a new array or `out`. Queued on `stream`, by default the device's
current one.)";

constexpr const char* kUnary = "($module, x, /, out=None, *, dtype=None, stream=None)";
constexpr const char* kBinary = "($module, x1, x2, /, out=None, *, dtype=None, stream=None)";
constexpr const char* kTernary_where = "($module, condition, x, y, /, out=None, *, stream=None)";
constexpr const char* kTernary_clip =
    "($module, a, /, min=None, max=None, out=None, *, dtype=None, stream=None)";

PyMethodDef row(const char* name, PyCFunction function, const char* parameters, const char* doc) {
  return {name, function, METH_FASTCALL | METH_KEYWORDS,
          docstring(std::string(name) + parameters, std::string(doc) + kNote)};
}

}  // namespace

MethodRows elementwise_function_rows() {
  static const PyMethodDef rows[] = {
      {"_set_trace", method<set_trace>, METH_O,
       R"(_set_trace(trace, /)
--

Makes trace.__gpuarray_function__ take this thread's operations on scalars alone, None nothing;
returns the one before. The caller keeps it alive.)"},
#define GPUARRAY_UNARY(name, nb, dtypes, rule, expression, doc) \
  row(#name, method<unary<Op::name>, Entry::joins>, kUnary, doc),
#define GPUARRAY_BINARY(name, nb, dtypes, rule, expression, doc) \
  row(#name, method<binary<Op::name>, Entry::joins>, kBinary, doc),
#define GPUARRAY_TERNARY(name, nb, dtypes, rule, expression, doc) \
  row(#name, method<name, Entry::joins>, kTernary_##name, doc),
#include "kernels/ops.def"
  };
  return rows;
}

}  // namespace gpuarray::py
