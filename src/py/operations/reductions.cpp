// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/delegate.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/elementwise.hpp"
#include "py/operations/parts.hpp"

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
  PyObject* ddof;
  PyObject* correction;  // the array API standard's name of ddof
  PyObject* mean;
  PyObject* initial;
  PyObject* where;
};

bool is_given(PyObject* object) { return object != nullptr && object != Py_None; }

double to_correction(Reduction reduction, const Arguments& arguments) {
  const bool named = is_given(arguments.correction);
  PyObject* given = named ? arguments.correction : arguments.ddof;
  if (!is_given(given)) return 0;
  const double correction = PyFloat_AsDouble(given);
  if (correction == -1 && PyErr_Occurred()) throw PythonError();
  if (named && is_given(arguments.ddof) && checked_status(PyObject_IsTrue(arguments.ddof)))
    throw ValueError(std::string(info(reduction).name) +
                     ": ddof and correction can't be provided simultaneously.");
  return correction;
}

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
  // An array of no dimensions has sums along axis 0, as in NumPy, but no averages.
  if (is_average(info(reduction)) && source.ndim() == 0 && is_given(arguments.axis) &&
      !PyTuple_Check(arguments.axis))
    normalize_axis(to_int64(arguments.axis), 0);
  const double correction = to_correction(reduction, arguments);
  return without_gil_if(is_long, [&] {
    return ops::reduce(reduction, source, axes, keepdims, dtype, out, correction);
  });
}

using Member = PyObject* Arguments::*;

// The parameters in order, of which the last `keyword_only` have to be named.
struct Parameters {
  std::vector<const char*> names;
  std::vector<Member> members;
  int keyword_only;
};

const Parameters& parameters_of(Reduction reduction) {
  using A = Arguments;
  static const Parameters sums{
      {"a", "axis", "dtype", "out", "keepdims", "initial", "where", "stream"},
      {&A::a, &A::axis, &A::dtype, &A::out, &A::keepdims, &A::initial, &A::where, &A::stream},
      1};
  static const Parameters extremes{
      {"a", "axis", "out", "keepdims", "initial", "where", "stream"},
      {&A::a, &A::axis, &A::out, &A::keepdims, &A::initial, &A::where, &A::stream},
      1};
  static const Parameters truths{{"a", "axis", "out", "keepdims", "where", "stream"},
                                 {&A::a, &A::axis, &A::out, &A::keepdims, &A::where, &A::stream},
                                 2};
  static const Parameters indices{{"a", "axis", "out", "keepdims", "stream"},
                                  {&A::a, &A::axis, &A::out, &A::keepdims, &A::stream},
                                  2};
  static const Parameters means{
      {"a", "axis", "dtype", "out", "keepdims", "where", "stream"},
      {&A::a, &A::axis, &A::dtype, &A::out, &A::keepdims, &A::where, &A::stream},
      2};
  static const Parameters spreads{
      {"a", "axis", "dtype", "out", "ddof", "keepdims", "correction", "mean", "where", "stream"},
      {&A::a, &A::axis, &A::dtype, &A::out, &A::ddof, &A::keepdims, &A::correction, &A::mean,
       &A::where, &A::stream},
      4};
  switch (info(reduction).result) {
    case ReductionResult::SUM:
      return sums;
    case ReductionResult::SAME:
      return extremes;
    case ReductionResult::BOOL:
      return truths;
    case ReductionResult::MEAN:
      return means;
    case ReductionResult::REAL:
      return spreads;
    default:
      return indices;
  }
}

// What is more than one kernel is put together in Python.
bool is_composed(const Arguments& arguments) {
  const bool masked = arguments.where != nullptr && arguments.where != Py_True;
  return masked || arguments.initial != nullptr || is_given(arguments.mean);
}

Ref call_composed(Reduction reduction, const Arguments& arguments) {
  const Parameters& parameters = parameters_of(reduction);
  Ref name = checked(Py_BuildValue("(s)", info(reduction).name));
  Ref kwargs = checked(PyDict_New());
  for (std::size_t k = 1; k + 1 < parameters.names.size(); ++k)  // all but `a` and `stream`
    if (PyObject* given = arguments.*parameters.members[k])
      checked_status(PyDict_SetItemString(kwargs.get(), parameters.names[k], given));
  return call_python_method("reduce", arguments.a, name.get(), kwargs.get());
}

Ref call(Reduction reduction, const Arguments& arguments) {
  if (!is_array(arguments.a))
    if (Ref made = call_override(info(reduction).name, {&arguments.a, 1},
                                 {{"axis", arguments.axis},
                                  {"dtype", arguments.dtype},
                                  {"out", arguments.out},
                                  {"keepdims", arguments.keepdims},
                                  {"ddof", arguments.ddof},
                                  {"correction", arguments.correction},
                                  {"mean", arguments.mean},
                                  {"initial", arguments.initial},
                                  {"where", arguments.where}}))
      return made;
  const Array& source = require_array(arguments.a, info(reduction).name);
  const StreamScope scope(arguments.stream, source.device());
  if (is_composed(arguments)) return call_composed(reduction, arguments);
  if (!is_given(arguments.out)) return new_array(run(reduction, source, arguments, nullptr));
  run(reduction, source, arguments, &require_array(arguments.out, "out"));
  return Ref::borrow(arguments.out);
}

// `self` is the array of a method, null for a function of the module, whose first argument is the
// array.
Ref parse_and_call(Reduction reduction, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                   PyObject* kwnames) {
  const Parameters& parameters = parameters_of(reduction);
  const int skipped = self != nullptr ? 1 : 0;
  const int count = static_cast<int>(parameters.names.size());
  PyObject* values[10] = {self};
  detail::parse(info(reduction).name, parameters.names.data() + skipped, count - skipped,
                1 - skipped, count - skipped - parameters.keyword_only, 0, args, nargs, kwnames,
                values + skipped);
  Arguments arguments{};
  for (int k = 0; k < count; ++k)
    if (values[k] != nullptr && !is_no_value(values[k]))
      arguments.*parameters.members[static_cast<size_t>(k)] = values[k];
  return call(reduction, arguments);
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

#define GPUARRAY_SIGNATURE_SUM                                                                    \
  "axis=None, dtype=None, out=None, keepdims=False, initial=..., where=True, *, stream=None)\n--" \
  "\n\n"
#define GPUARRAY_SIGNATURE_SAME \
  "axis=None, out=None, keepdims=False, initial=..., where=True, *, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_BOOL \
  "axis=None, out=None, keepdims=False, *, where=True, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_INDEX "axis=None, out=None, *, keepdims=False, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_MEAN \
  "axis=None, dtype=None, out=None, keepdims=False, *, where=True, stream=None)\n--\n\n"
#define GPUARRAY_SIGNATURE_REAL                                                              \
  "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None, mean=None, " \
  "where=True, stream=None)\n--\n\n"
#define GPUARRAY_REDUCTION_NOTE                                                            \
  "\n\n`axis` None takes all elements. The result is a new array, 0-d for all, or `out`. " \
  "Queued on\n`stream`, by default the device's current one."
#define GPUARRAY_NOTE_SAME ""
#define GPUARRAY_NOTE_BOOL ""
#define GPUARRAY_NOTE_INDEX ""
#define GPUARRAY_NOTE_SUM ""
#define GPUARRAY_NOTE_MEAN " Integers and bool\ngive float64, unless `dtype` is given."
#define GPUARRAY_NOTE_REAL \
  " Divides by the\nnumber of elements less `ddof`, also called `correction`."

}  // namespace

MethodRows reduction_function_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc)                        \
  row(#name, method<function<Reduction::name>>,                                     \
      #name "($module, a, " GPUARRAY_SIGNATURE_##result doc GPUARRAY_REDUCTION_NOTE \
          GPUARRAY_NOTE_##result),
#include "kernels/reductions.def"
  };
  return rows;
}

MethodRows reduction_method_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_REDUCTION(name, dtypes, result, empty, doc)                      \
  row(#name, method<array_method<Reduction::name>>,                               \
      #name "($self, /, " GPUARRAY_SIGNATURE_##result doc GPUARRAY_REDUCTION_NOTE \
          GPUARRAY_NOTE_##result),
#include "kernels/reductions.def"
  };
  return rows;
}

}  // namespace gpuarray::py
