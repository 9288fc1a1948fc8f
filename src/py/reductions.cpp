// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <array>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/arguments.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/current_stream.hpp"
#include "py/elementwise.hpp"
#include "py/gil.hpp"
#include "py/parts.hpp"
#include "py/slot.hpp"

namespace gpuarray::py {

namespace {

// Arguments of a reduction, borrowed; null where not given.
struct Arguments {
  PyObject* a;
  PyObject* axis;
  PyObject* dtype;
  PyObject* out;
  PyObject* keepdims;
  PyObject* stream;
};

bool is_given(PyObject* object) { return object != nullptr && object != Py_None; }

Array run(Reduction reduction, const Array& source, const Arguments& arguments, const Array* out) {
  bool keepdims = arguments.keepdims && checked_status(PyObject_IsTrue(arguments.keepdims));
  std::optional<DType> dtype = to_optional_dtype(arguments.dtype);
  bool is_long = runs_long(source.device(), source.size());
  if (info(reduction).result == ReductionResult::INDEX) {
    std::optional<int> axis;
    if (is_given(arguments.axis)) {
      to_int64(arguments.axis);  // one axis alone: no tuple
      std::vector<int> axes = to_axes(arguments.axis, source.ndim());
      if (!axes.empty()) axis = axes[0];
    }
    return without_gil_if(is_long,
                          [&] { return ops::arg_reduce(reduction, source, axis, keepdims, out); });
  }
  std::vector<int> axes = to_axes(arguments.axis, source.ndim());
  return without_gil_if(is_long,
                        [&] { return ops::reduce(reduction, source, axes, keepdims, dtype, out); });
}

Ref call(Reduction reduction, const Arguments& arguments) {
  if (!is_array(arguments.a))
    if (Ref made = call_override(info(reduction).name, {&arguments.a, 1},
                                 {{"axis", arguments.axis},
                                  {"dtype", arguments.dtype},
                                  {"out", arguments.out},
                                  {"keepdims", arguments.keepdims}}))
      return made;
  const Array& source = require_array(arguments.a, info(reduction).name);
  const StreamScope scope(arguments.stream, source.device());
  if (!is_given(arguments.out)) return new_array(run(reduction, source, arguments, nullptr));
  run(reduction, source, arguments, &require_array(arguments.out, "out"));
  return Ref::borrow(arguments.out);
}

constexpr const char* kNamesWithDType[] = {"a", "axis", "dtype", "out", "keepdims", "stream"};
constexpr const char* kNames[] = {"a", "axis", "out", "keepdims", "stream"};

// `self` is the array of a method, null for a function of the module, whose first argument is the
// array.
Ref parse_and_call(Reduction reduction, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames) {
  bool has_dtype = info(reduction).result == ReductionResult::SUM;
  const char* const* names = has_dtype ? kNamesWithDType : kNames;
  int skipped = self != nullptr ? 1 : 0;
  const int count = has_dtype ? 6 : 5;
  PyObject* values[6] = {self};
  detail::parse(info(reduction).name, names + skipped, count - skipped, 1 - skipped,
                count - skipped - 1, 0, args, nargs, kwnames, values + skipped);
  if (!has_dtype)
    return call(reduction, {values[0], values[1], nullptr, values[2], values[3], values[4]});
  return call(reduction, {values[0], values[1], values[2], values[3], values[4], values[5]});
}

template <Reduction reduction>
Ref function(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call(reduction, nullptr, args, nargs, kwnames);
}

template <Reduction reduction>
Ref array_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return parse_and_call(reduction, self, args, nargs, kwnames);
}

PyMethodDef row(const char* name, PyCFunction function, const char* doc) {
  return {name, function, METH_FASTCALL | METH_KEYWORDS, doc};
}

#define GPUARRAY_SIGNATURE_SUM \
  "axis=None, dtype=None, out=None, keepdims=False, *, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_SAME "axis=None, out=None, keepdims=False, *, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_BOOL GPUARRAY_SIGNATURE_SAME
#define GPUARRAY_SIGNATURE_INDEX GPUARRAY_SIGNATURE_SAME
#define GPUARRAY_REDUCTION_NOTE                                                            \
  "\n\n`axis` None takes all elements. The result is a new array, 0-d for all, or `out`. " \
  "Queued on\n`stream`, by default the device's current one."

}  // namespace

MethodRows reduction_function_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc) \
  row(#name, method<function<Reduction::name>>,              \
      #name "($module, a, " GPUARRAY_SIGNATURE_##result doc GPUARRAY_REDUCTION_NOTE),
#include "kernels/reductions.def"
  };
  return rows;
}

MethodRows reduction_method_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc) \
  row(#name, method<array_method<Reduction::name>>,          \
      #name "($self, /, " GPUARRAY_SIGNATURE_##result doc GPUARRAY_REDUCTION_NOTE),
#include "kernels/reductions.def"
  };
  return rows;
}

}  // namespace gpuarray::py
