// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/docstring.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/delegate.hpp"
#include "py/operations/elementwise.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {

namespace {

// The arguments of a scan, borrowed; null where not given.
struct Arguments {
  PyObject* a;
  PyObject* axis;
  PyObject* dtype;
  PyObject* out;
  PyObject* stream;
};

// Writes the scan into `out` of another dtype, converted by chunks.
Ref call_by_chunks(Scan scan, DType loop, PyObject* source, const Arguments& arguments) {
  PyObject* axis = arguments.axis != nullptr ? arguments.axis : Py_None;
  Ref args = checked(Py_BuildValue("(sOsO)", info(scan).name, axis, name(loop), arguments.out));
  return call_python_method("accumulate", source, args.get(), nullptr);
}

// Runs the scan on `stream`, or on the current one.
Ref call(Scan scan, const char* function, const Arguments& arguments) {
  const Array* out = optional_array(arguments.out, "out");
  Ref made_of_list;
  if (!is_array(arguments.a))
    made_of_list = array_of_operand(function, arguments.a,
                                    out != nullptr ? out->device() : to_device(nullptr));
  PyObject* given = made_of_list ? made_of_list.get() : arguments.a;
  const Array& source = require_array(given, function);
  const StreamScope scope(arguments.stream, source.device());
  const std::optional<int> axis = to_axis(arguments.axis, source.ndim());
  const std::optional<DType> dtype = to_optional_dtype(arguments.dtype);
  if (out != nullptr) {
    const DType loop = ops::scan_dtype(scan, source, axis, dtype, out);
    if (loop != out->dtype()) return call_by_chunks(scan, loop, given, arguments);
  }
  Array made = compute(source, [&] { return ops::accumulate(scan, source, axis, dtype, out); });
  return out != nullptr ? Ref::borrow(arguments.out) : new_array(std::move(made));
}

constexpr const char* kNames[] = {"a", "axis", "dtype", "out", "stream"};

// Implements a method, of which `self` is the array, or, with a null `self`, a function of the
// module.
template <Scan scan>
Ref parse_and_call(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames) {
  const int skipped = self != nullptr ? 1 : 0;
  PyObject* values[5] = {self};
  detail::parse(name, kNames + skipped, 5 - skipped, 1 - skipped, 4 - skipped, 0, args, nargs,
                kwnames, values + skipped);
  return call(scan, name, {values[0], values[1], values[2], values[3], values[4]});
}

Ref cumsum(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call<Scan::add>("cumsum", nullptr, args, nargs, kwnames);
}
Ref cumprod(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call<Scan::multiply>("cumprod", nullptr, args, nargs, kwnames);
}
Ref array_cumsum(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call<Scan::add>("cumsum", self, args, nargs, kwnames);
}
Ref array_cumprod(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call<Scan::multiply>("cumprod", self, args, nargs, kwnames);
}

constexpr Signature<6> kAccumulate{
    "accumulate", {"op", "a", "axis", "dtype", "out", "stream"}, 2, 5};

Ref accumulate(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [op, a, axis, dtype, out, stream] = parse(kAccumulate, args, nargs, kwnames);
  const std::string name = to_text(op, "accumulate: op");
  const std::optional<Scan> scan = scan_from_name(name);
  if (!scan) throw TypeError(name + ".accumulate: not implemented for GPUArrays");
  return call(*scan, info(*scan).name, {a, axis, dtype, out, stream});
}

constexpr const char* kParameters = "axis=None, dtype=None, out=None, *, stream=None)";

// The text that follows the first line of both docstrings.
constexpr const char* kNote = R"(

`axis` None takes all elements in C order, to one dimension. Integers below 64 bits, and bool,
give 64 bits unless `dtype` or `out` asks for another. float32 is accumulated in float64,
float16 and bfloat16 in float32; the result has the same bits in every run. Returns a new array
or `out`. Queued on `stream`, by default the device's current one.)";

PyMethodDef cumsum_row(PyCFunction function, const std::string& head) {
  const std::string doc = "Sums of the elements up to each one along the axis.";
  return {"cumsum", function, METH_FASTCALL | METH_KEYWORDS,
          docstring("cumsum" + head + kParameters, doc + kNote)};
}

PyMethodDef cumprod_row(PyCFunction function, const std::string& head) {
  const std::string doc = "Products of the elements up to each one along the axis.";
  return {"cumprod", function, METH_FASTCALL | METH_KEYWORDS,
          docstring("cumprod" + head + kParameters, doc + kNote)};
}

}  // namespace

MethodRows scan_function_rows() {
  static const PyMethodDef rows[] = {
      cumsum_row(method<cumsum>, "($module, a, "),
      cumprod_row(method<cumprod>, "($module, a, "),
      {"accumulate", method<accumulate>, METH_FASTCALL | METH_KEYWORDS,
       R"(accumulate($module, op, a, axis=None, dtype=None, out=None, *, stream=None)
--

The results of the operation `op`, a name of scans.def, up to each element along the axis;
TypeError for another.)"},
  };
  return rows;
}

MethodRows scan_method_rows() {
  static const PyMethodDef rows[] = {
      cumsum_row(method<array_cumsum>, "($self, /, "),
      cumprod_row(method<array_cumprod>, "($self, /, "),
  };
  return rows;
}

}  // namespace gpuarray::py
