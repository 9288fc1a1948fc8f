// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "array/fold.hpp"
#include "array/operand.hpp"
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
  PyObject_HEAD FoldProgramPtr program;
};

constexpr const char* kDoc =
    R"(_Fold(name, kind, map, combine, parameters, type, output, *, finish="", identity="",
      types=(), preamble="", build=None, host_options=(), cuda_only=False, arguments=None,
      axis=None, keepdims=False)
--

A reduction or scan of C++ texts over broadcast arrays, for arguments of known dtypes.

kind: 'reduction', 'inclusive_scan' or 'exclusive_scan'. map: an expression of the parameters, which
are tuples as those of a _Program, and of `i` and `n`. combine: an expression of `a` and `b`, which
have the dtype `type`. finish: statements that compute the output, (name, dtype), from `a`; "" if the
output is `a`. identity: an expression; "" if there is none. arguments, axis, keepdims: for a fused
function, which argument of a call each parameter is, and what is reduced.)";

FoldKind to_kind(PyObject* object) {
  const std::string text = to_text(object, "kind");
  if (text == "reduction") return FoldKind::reduction;
  if (text == "inclusive_scan") return FoldKind::inclusive_scan;
  if (text == "exclusive_scan") return FoldKind::exclusive_scan;
  throw ValueError("kind: got '" + text + "'");
}

FoldProgram& state_of(PyObject* self) { return *reinterpret_cast<FoldObject*>(self)->program; }

Ref fold_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<17> kSignature{
      "_Fold",
      {"name", "kind", "map", "combine", "parameters", "type", "output", "finish", "identity",
       "types", "preamble", "build", "host_options", "cuda_only", "arguments", "axis", "keepdims"},
      7,
      7};
  auto [name, kind, map, combine, parameters, fold_dtype, output, finish, identity, types, preamble,
        build, host_options, cuda_only, arguments, axis, keepdims] =
      parse(kSignature, args, kwargs);
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
  tuple_size(output, "output", 2);
  FoldText fold{.kind = to_kind(kind),
                .combine = to_text(combine, "combine"),
                .finish = text_or_empty(finish, "finish"),
                .identity = text_or_empty(identity, "identity"),
                .type = to_dtype(fold_dtype),
                .output = to_text(PyTuple_GetItem(output, 0), "output"),
                .result = to_dtype(PyTuple_GetItem(output, 1))};
  auto made = std::make_shared<FoldProgram>(std::move(text), expression_parameters(parameters),
                                            std::move(fold));
  made->arguments = argument_places(arguments);
  made->axis = Ref::borrow(axis);
  made->keepdims = keepdims != nullptr && checked_status(PyObject_IsTrue(keepdims)) == 1;
  auto* self = allocate_object<FoldObject>(type);
  new (&self->program) FoldProgramPtr(std::move(made));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void fold_dealloc(PyObject* object) noexcept {
  reinterpret_cast<FoldObject*>(object)->program.~FoldProgramPtr();
  free_object(object);
}

// Returns the object as the parameter takes it. Throws TypeError for one that does not fit.
ops::Argument to_argument(PyObject* object, const ExpressionParameter& parameter,
                          const std::string& name) {
  if (parameter.role == Role::scalar) {
    const std::optional<Operand> operand = as_operand(object);
    if (!operand || operand->array() != nullptr)
      throw TypeError(name + ": " + parameter.name + ": expected a scalar, got " +
                      type_name(object));
    return {nullptr, cast_scalar(operand->scalar(), parameter.memory)};
  }
  const Array& array = require_array(object, (name + ": " + parameter.name).c_str());
  if (array.dtype() != parameter.memory)
    throw TypeError(name + ": " + parameter.name + " does not fit its program");
  return {&array, {}};
}

Ref fold_run(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<5> kSignature{
      "run", {"arguments", "axis", "keepdims", "out", "stream"}, 5};
  auto [given, axis, keepdims, out, stream] = parse(kSignature, args, nargs, kwnames);
  Fold& fold = state_of(self).fold;
  const auto parameters = fold.expression().parameters();
  const std::string& name = fold.expression().text().name;
  Ref items = checked(PySequence_Tuple(given));
  if (PyTuple_Size(items.get()) != static_cast<Py_ssize_t>(parameters.size()))
    throw TypeError(name + ": expected " + std::to_string(parameters.size()) + " arguments");
  std::vector<ops::Argument> arguments;
  for (const ExpressionParameter& parameter : parameters)
    arguments.push_back(to_argument(
        PyTuple_GetItem(items.get(), static_cast<Py_ssize_t>(arguments.size())), parameter, name));
  if (out == Py_None) out = nullptr;
  ops::CommonDevice common(name.c_str());
  if (out != nullptr) common.add(require_array(out, (name + ": out").c_str()));
  for (const ops::Argument& argument : arguments)
    if (argument.array != nullptr) common.add(*argument.array);
  const Device device = common.first() == nullptr ? to_device(nullptr) : common.first()->device();
  const bool keeps = checked_status(PyObject_IsTrue(keepdims)) == 1;
  return run_fold(fold, arguments, device, axis, keeps, out, stream);
}

// Returns the text for contiguous arrays of one dimension; those of more differ in their types
// alone.
Ref fold_source(PyObject* self, PyObject* device) {
  const Fold& fold = state_of(self).fold;
  std::string arrays;
  for (const ExpressionParameter& parameter : fold.expression().parameters())
    if (parameter.role == Role::element || parameter.role == Role::raw) arrays += {1, 1};
  const bool is_cuda = to_text(device, "device").starts_with("cuda");
  return py_string(source::fold(fold, fold.text().result, arrays, is_cuda, true));
}

Ref fold_sources(PyObject* self, PyObject*) { return sources_of(state_of(self).fold.expression()); }

PyMethodDef methods[] = {
    {"sources", method<fold_sources>, METH_NOARGS,
     R"(sources($self, /)
--

The texts that were compiled for calls on CUDA devices.)"},
    {"run", method<fold_run>, METH_FASTCALL | METH_KEYWORDS,
     R"(run($self, /, arguments, axis, keepdims, out, stream)
--

Return the result, which is written to `out` unless that is None.)"},
    {"source", method<fold_source>, METH_O,
     R"(source($self, device, /)
--

Return the text that is compiled for contiguous arrays on a device.)"},
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

const FoldProgramPtr* fold_program_of(PyObject* object) {
  if (Py_TYPE(object) != fold_type) return nullptr;
  return &reinterpret_cast<FoldObject*>(object)->program;
}

Ref run_fold(Fold& fold, std::span<const ops::Argument> arguments, Device device, PyObject* axis,
             bool keepdims, PyObject* out, PyObject* stream) {
  const StreamScope scope(stream, device);
  const Shape shape = ops::fold_shape(fold, arguments);
  const std::vector<int> axes = to_axes(axis, shape.size());
  if (fold.text().kind != FoldKind::reduction && axes.size() != 1)
    throw ValueError(fold.expression().text().name + ": a scan goes along one axis of " +
                     std::to_string(shape.size()) + ": axis is to be given");
  const Array* target = out == nullptr ? nullptr : &as_array(out);
  Array made = without_gil_if(runs_long(device, element_count(shape)), [&] {
    return ops::run_fold(fold, arguments, device, shape, axes, keepdims, target);
  });
  return out != nullptr ? Ref::borrow(out) : new_array(std::move(made));
}

void add_fold_type(PyObject* module) {
  if (fold_type == nullptr)
    fold_type = make_type(module, "gpuarray._core._Fold", sizeof(FoldObject), slots);
  add_type(module, "_Fold", fold_type);
}

}  // namespace gpuarray::py
