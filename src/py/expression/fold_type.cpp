// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "array/fold.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/expression/expression.hpp"
#include "py/expression/parts.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* fold_type = nullptr;

struct FoldObject {
  PyObject_HEAD std::shared_ptr<Fold> fold;
};

constexpr const char* kDoc =
    "_Fold(name, kind, map, combine, parameters, type, output, *, finish=\"\", identity=\"\",\n"
    "      types=(), preamble=\"\", build=None, host_options=(), cuda_only=False)\n--\n\n"
    "A reduction or scan of texts of C++ over broadcast arrays, for dtypes that are known.\n\n"
    "kind: 'reduction', 'inclusive_scan' or 'exclusive_scan'. map: an expression of the\n"
    "parameters, which are tuples as a _Program's, and of `i` and `n`. combine: one of `a` and\n"
    "`b`, of the dtype `type`. finish: statements that make the output, (name, dtype), of `a`;\n"
    "\"\" if it is `a`. identity: an expression, \"\" if there is none.";

FoldKind to_kind(PyObject* object) {
  const std::string text = to_text(object, "kind");
  if (text == "reduction") return FoldKind::reduction;
  if (text == "inclusive_scan") return FoldKind::inclusive_scan;
  if (text == "exclusive_scan") return FoldKind::exclusive_scan;
  throw ValueError("kind: got '" + text + "'");
}

Fold& fold_of(PyObject* self) { return *reinterpret_cast<FoldObject*>(self)->fold; }

Ref fold_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<14> kSignature{
      "_Fold",
      {"name", "kind", "map", "combine", "parameters", "type", "output", "finish", "identity",
       "types", "preamble", "build", "host_options", "cuda_only"},
      7,
      7};
  auto [name, kind, map, combine, parameters, fold_dtype, output, finish, identity, types, preamble,
        build, host_options, cuda_only] = parse(kSignature, args, kwargs);
  ExpressionText text{.name = to_text(name, "name"),
                      .operation = to_text(map, "map"),
                      .preamble = text_or_empty(preamble, "preamble"),
                      .loop_prep = {},
                      .after_loop = {},
                      .types = {},
                      .is_ordered = true,
                      .host_options = {},
                      .is_cuda_only = false,
                      .build = nullptr};
  set_compilation(text, build, host_options, cuda_only);
  if (types != nullptr) text.types = expression_types(types);
  PyObject *output_name = nullptr, *output_dtype = nullptr;
  if (!PyArg_ParseTuple(output, "OO:output", &output_name, &output_dtype)) throw PythonError();
  FoldText fold{.kind = to_kind(kind),
                .combine = to_text(combine, "combine"),
                .finish = text_or_empty(finish, "finish"),
                .identity = text_or_empty(identity, "identity"),
                .type = to_dtype(fold_dtype),
                .output = to_text(output_name, "output"),
                .result = to_dtype(output_dtype)};
  auto made =
      std::make_shared<Fold>(std::move(text), expression_parameters(parameters), std::move(fold));
  auto* self = allocate_object<FoldObject>(type);
  new (&self->fold) std::shared_ptr<Fold>(std::move(made));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void fold_dealloc(PyObject* object) noexcept {
  reinterpret_cast<FoldObject*>(object)->fold.~shared_ptr();
  free_object(object);
}

ops::Argument to_argument(PyObject* object, const ExpressionParameter& parameter,
                          const std::string& name) {
  if (parameter.role == Role::scalar) {
    const std::optional<Operand> operand = as_operand(object);
    if (!operand || operand->array() != nullptr)
      throw TypeError(name + ": " + parameter.name + ": expected a scalar, got " +
                      type_name(object));
    return {nullptr, cast_scalar(operand->scalar(), parameter.dtype)};
  }
  const Array& array = require_array(object, (name + ": " + parameter.name).c_str());
  if (array.dtype() != parameter.memory)
    throw TypeError(name + ": " + parameter.name + " does not fit its program");
  return {&array, {}};
}

Device common_device(const std::string& name, const std::vector<ops::Argument>& arguments,
                     const Array* out) {
  const Array* first = out;
  for (const ops::Argument& argument : arguments) {
    if (argument.array == nullptr) continue;
    if (first == nullptr) first = argument.array;
    if (argument.array->device() != first->device())
      throw DeviceError(name + ": operands are on different devices, " +
                        to_string(first->device()) + " and " + to_string(argument.array->device()) +
                        "; copy one with to_device()");
  }
  return first == nullptr ? to_device(nullptr) : first->device();
}

Ref fold_run(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<5> kSignature{
      "run", {"arguments", "axis", "keepdims", "out", "stream"}, 5};
  auto [given, axis, keepdims, out, stream] = parse(kSignature, args, nargs, kwnames);
  Fold& fold = fold_of(self);
  const auto parameters = fold.expression().parameters();
  const std::string name = fold.expression().text().name;
  Ref items = checked(PySequence_Tuple(given));
  if (PyTuple_Size(items.get()) != static_cast<Py_ssize_t>(parameters.size()))
    throw TypeError(name + ": expected " + std::to_string(parameters.size()) + " arguments");
  std::vector<ops::Argument> arguments;
  for (const ExpressionParameter& parameter : parameters)
    arguments.push_back(to_argument(
        PyTuple_GetItem(items.get(), static_cast<Py_ssize_t>(arguments.size())), parameter, name));
  const Array* target = out == Py_None ? nullptr : &require_array(out, (name + ": out").c_str());
  const Device device = common_device(name, arguments, target);
  const StreamScope scope(stream, device);
  const Shape shape = ops::fold_shape(fold, arguments);
  const std::vector<int> axes = to_axes(axis, shape.size());
  const bool keeps = checked_status(PyObject_IsTrue(keepdims)) == 1;
  if (fold.text().kind != FoldKind::reduction && axes.size() != 1)
    throw ValueError(name + ": a scan goes along one axis of " + std::to_string(shape.size()) +
                     ": axis is to be given");
  Array made = without_gil_if(runs_long(device, element_count(shape)), [&] {
    return ops::run_fold(fold, arguments, device, shape, axes, keeps, target);
  });
  return target != nullptr ? Ref::borrow(out) : new_array(std::move(made));
}

// For contiguous arrays of one dimension.
Ref fold_source(PyObject* self, PyObject* device) {
  const Fold& fold = fold_of(self);
  std::string arrays;
  for (const ExpressionParameter& parameter : fold.expression().parameters())
    if (parameter.role == Role::element || parameter.role == Role::raw) arrays += {1, 1};
  const bool is_cuda = to_text(device, "device").starts_with("cuda");
  return py_string(source::fold(fold, fold.text().result, arrays, is_cuda));
}

PyMethodDef methods[] = {
    {"run", method<fold_run>, METH_FASTCALL | METH_KEYWORDS,
     "run($self, /, arguments, axis, keepdims, out, stream)\n--\n\n"
     "The result, in `out` unless that is None."},
    {"source", method<fold_source>, METH_O,
     "source($self, device, /)\n--\n\nThe text that is compiled for a device's contiguous arrays."},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, slot<fold_create>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&fold_dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

}  // namespace

void add_fold_type(PyObject* module) {
  if (fold_type == nullptr)
    fold_type = make_type(module, "gpuarray._core._Fold", sizeof(FoldObject), slots);
  add_type(module, "_Fold", fold_type);
}

}  // namespace gpuarray::py
