// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/docstring.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/integers.hpp"
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

// The arguments of a reduction, borrowed; null where not given.
struct Arguments {
  PyObject* a;
  PyObject* axis;
  PyObject* dtype;
  PyObject* out;
  PyObject* keepdims;
  PyObject* stream;
  PyObject* ddof;
  PyObject* correction;  // the name of ddof in the array API standard
  PyObject* mean;
  PyObject* initial;
  PyObject* where;
};

// Returns what is subtracted from the number of elements. Throws ValueError if both of its names
// are given.
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

// Whether the conversion to `dtype`, before which NaN is passed over, loses which elements are NaN.
bool loses_nan(DType source, DType dtype) {
  return !is_inexact(dtype) || (is_complex(source) && !is_complex(dtype));
}

// Runs one kernel on the current stream; releases the GIL if that runs long on the host.
Array run(Reduction reduction, const Array& source, const Arguments& arguments, const Array* out) {
  bool keepdims = arguments.keepdims && checked_status(PyObject_IsTrue(arguments.keepdims));
  std::optional<DType> dtype = to_optional_dtype(arguments.dtype);
  bool is_long = runs_long(source.device(), source.size());
  if (info(reduction).result == ReductionResult::INDEX) {
    const std::optional<int> axis = to_axis(arguments.axis, source.ndim());
    return without_gil_if(is_long,
                          [&] { return ops::arg_reduce(reduction, source, axis, keepdims, out); });
  }
  std::vector<int> axes = to_axes(arguments.axis, source.ndim());
  // As in NumPy, an array without dimensions has sums along axis 0, but no averages.
  if (is_average(info(reduction)) && !passes_nan(reduction) && source.ndim() == 0 &&
      is_given(arguments.axis) && !PyTuple_Check(arguments.axis))
    normalize_axis(to_integer(arguments.axis, "axis"), 0);
  const double correction = to_correction(reduction, arguments);
  return without_gil_if(is_long, [&] {
    return ops::reduce(reduction, source, axes, keepdims, dtype, out, correction);
  });
}

// The documentation of a reduction, by the column `result` of reductions.def.
struct ResultText {
  const char* parameters;  // those after the array, to the end of the signature
  const char* note;        // the end of the text
};

ResultText text_of(ReductionResult result) {
  switch (result) {
    case ReductionResult::SUM:
      return {
          "axis=None, dtype=None, out=None, keepdims=False, initial=..., where=True, *, "
          "stream=None)",
          ""};
    case ReductionResult::SAME:
      return {"axis=None, out=None, keepdims=False, initial=..., where=True, *, stream=None)", ""};
    case ReductionResult::BOOL:
      return {"axis=None, out=None, keepdims=False, *, where=True, stream=None)", ""};
    case ReductionResult::MEAN:
      return {"axis=None, dtype=None, out=None, keepdims=False, *, where=True, stream=None)",
              R"( Integers and bool
give float64, unless `dtype` is given.)"};
    case ReductionResult::REAL:
      return {
          "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None, "
          "mean=None, where=True, stream=None)",
          R"( Divides by the
number of elements less `ddof`, also called `correction`.)"};
    default:
      return {"axis=None, out=None, *, keepdims=False, stream=None)", ""};
  }
}

using Member = PyObject* Arguments::*;

// A member of Arguments and the name of its parameter.
struct NamedMember {
  const char* name;
  Member member;
};

constexpr NamedMember kMembers[] = {
    {"axis", &Arguments::axis},       {"dtype", &Arguments::dtype},
    {"out", &Arguments::out},         {"keepdims", &Arguments::keepdims},
    {"stream", &Arguments::stream},   {"ddof", &Arguments::ddof},
    {"mean", &Arguments::mean},       {"correction", &Arguments::correction},
    {"initial", &Arguments::initial}, {"where", &Arguments::where},
};

// The parameters of a reduction in their order. The last `keyword_only` of them are keyword-only.
struct Parameters {
  std::vector<const char*> names{"a"};
  std::vector<Member> members{&Arguments::a};
  int keyword_only = 0;
};

// Reads the parameters from the text of a signature.
Parameters parsed(std::string_view signature) {
  Parameters parameters;
  bool named = false;
  for (signature = signature.substr(0, signature.find(')')); !signature.empty();) {
    const size_t end = std::min(signature.find(", "), signature.size());
    const std::string_view one = signature.substr(0, end);
    named = named || one == "*";
    for (const auto& [name, member] : kMembers) {
      if (one.substr(0, one.find('=')) != name) continue;
      parameters.names.push_back(name);
      parameters.members.push_back(member);
      parameters.keyword_only += named;
    }
    signature.remove_prefix(std::min(end + 2, signature.size()));
  }
  return parameters;
}

const Parameters& parameters_of(Reduction reduction) {
  static const std::vector<Parameters> by_result = [] {
    std::vector<Parameters> made;
    for (int k = 0; k <= static_cast<int>(ReductionResult::REAL); ++k)
      made.push_back(parsed(text_of(static_cast<ReductionResult>(k)).parameters));
    return made;
  }();
  return by_result[static_cast<size_t>(info(reduction).result)];
}

// Returns whether the arguments ask for more than one kernel. Such reductions are composed in
// Python.
bool is_composed(Reduction reduction, DType source, const Arguments& arguments) {
  const bool masked = arguments.where != nullptr && arguments.where != Py_True;
  if (masked || arguments.initial != nullptr || is_given(arguments.mean)) return true;
  return passes_nan(reduction) && is_given(arguments.dtype) &&
         loses_nan(source, to_dtype(arguments.dtype));
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

// Returns the device of the first of the arguments that is an array, else the default device.
Device device_of(PyObject* out, PyObject* where) {
  for (PyObject* argument : {out, where})
    if (is_given(argument) && is_array(argument)) return as_array(argument).device();
  return to_device(nullptr);
}

// What waits is run by the operation, unless it is reduced without being stored.
Ref call(Reduction reduction, Arguments arguments) {
  Ref made_of_list;
  if (!is_array(arguments.a)) {
    run_deferred_first();
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
    made_of_list = array_of_operand(info(reduction).name, arguments.a,
                                    device_of(arguments.out, arguments.where));
    if (made_of_list) arguments.a = made_of_list.get();
  }
  const Array& source = require_array(arguments.a, info(reduction).name);
  if (!is_inexact(source.dtype())) reduction = plain_of(reduction);
  const bool composes = is_composed(reduction, source.dtype(), arguments);
  const bool is_plain = !composes && !is_given(arguments.out);
  if (!is_plain || source.device().is_cpu()) run_deferred_first();
  const StreamScope scope(arguments.stream, source.device());
  if (is_plain) return new_array(run(reduction, source, arguments, nullptr));
  if (composes) return call_composed(reduction, arguments);
  run(reduction, source, arguments, &require_array(arguments.out, "out"));
  return Ref::borrow(arguments.out);
}

// Implements a method, of which `self` is the array, or, with a null `self`, a function of the
// module, whose first argument is the array.
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

// The text between the line of documentation in reductions.def and the note of the result.
constexpr const char* kNote = R"(

`axis` None takes all elements. The result is a new array, 0-d for all, or `out`. Queued on
`stream`, by default the device's current one.)";

// Makes a row of a method table. `head` begins the signature and names the array.
PyMethodDef row(Reduction reduction, PyCFunction function, const char* head) {
  const auto& [name, result, empty, doc] = info(reduction);
  const ResultText text = text_of(result);
  return {
      name, function, METH_FASTCALL | METH_KEYWORDS,
      docstring(std::string(name) + head + text.parameters, std::string(doc) + kNote + text.note)};
}

}  // namespace

MethodRows reduction_function_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_REDUCTION(name, ...) \
  row(Reduction::name, method<function<Reduction::name>, Entry::joins>, "($module, a, "),
#include "kernels/reductions.def"
  };
  return rows;
}

MethodRows reduction_method_rows() {
  static const PyMethodDef rows[] = {
#define GPUARRAY_NAN_REDUCTION(...)
#define GPUARRAY_REDUCTION(name, ...) \
  row(Reduction::name, method<array_method<Reduction::name>, Entry::joins>, "($self, /, "),
#include "kernels/reductions.def"
  };
  return rows;
}

}  // namespace gpuarray::py
