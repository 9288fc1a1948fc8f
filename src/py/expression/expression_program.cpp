// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <new>
#include <string>
#include <utility>

#include "backend/expression_source.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/expression/expression.hpp"
#include "py/expression/parts.hpp"
#include "py/kernel/kernel_type.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* program_type = nullptr;

struct ProgramObject {
  PyObject_HEAD ProgramPtr program;
};

constexpr const char* kDoc =
    R"(_Program(name, operation, parameters, *, results=None, types=(), preamble="",
         loop_prep="", after_loop="", ordered=True, build=None, host_options=(),
         cuda_only=False, arguments=None, whole=(), exponents=(), reductions=())
--

A C++ text over the elements of broadcast arrays, for arguments of known dtypes.

parameters: tuples (name, dtype, role, written, memory). The text sees values of `dtype`, arrays
hold `memory`; the role is 'element', 'scalar', 'raw' or 'pointer'. results: the index of the
parameter that a call returns, a tuple of several, or None. types: pairs (name, dtype) that the
texts may use. ordered: whether the text uses the index `i`, which counts in C order. build: a
callable (source, device) that returns the Kernel `gpuarray_kernel` of a source for a CUDA device;
without it sources are compiled as the built-in kernels. host_options: options of the host's
compiler. cuda_only: calls on cpu are refused. arguments: for a fused function, which argument of a
call each of the first parameters is. A call that a fused function's kernel cannot serve goes to the
dispatcher's _unfused(arguments): one whose arrays of a tuple of parameters in `whole` do not
have the shape of the loop, where ~k stands for parameter k with a single column, one whose arrays
of a tuple in `exponents` have one element together, and one with arrays that overlap a written one.
reductions: (name, reducer, operation, correction, root, sources,
axis) for each result that the text has of the whole row: the C++ type of the reducer, statements
that return what it reduces, whose shape is made of the parameters `sources`, and what averages
need.)";

bool flag(PyObject* object, bool otherwise) {
  return object == nullptr ? otherwise : checked_status(PyObject_IsTrue(object)) == 1;
}

Role to_role(PyObject* object) {
  constexpr std::pair<const char*, Role> kRoles[] = {{"element", Role::element},
                                                     {"scalar", Role::scalar},
                                                     {"raw", Role::raw},
                                                     {"pointer", Role::pointer}};
  const std::string text = to_text(object, "role");
  for (const auto& [name, role] : kRoles)
    if (text == name) return role;
  throw ValueError("role: expected 'element', 'scalar', 'raw' or 'pointer', got '" + text + "'");
}

// Calls `function` with an accessor of the fields of each item of a sequence. Throws TypeError for
// an item that is not a tuple of `size`.
template <class Function>
void for_each_tuple(PyObject* sequence, Py_ssize_t size, const char* what, Function&& function) {
  Ref items = checked(PySequence_Tuple(sequence));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k) {
    PyObject* item = PyTuple_GetItem(items.get(), k);
    if (!PyTuple_Check(item) || PyTuple_Size(item) != size)
      throw TypeError(std::string(what) + ": expected tuples of " + std::to_string(size));
    function([item](Py_ssize_t at) { return PyTuple_GetItem(item, at); });
  }
}

int to_result(PyObject* object, const Program& program) {
  const int64_t index = to_int64(object);
  const auto parameters = program.expression->parameters();
  if (index < 0 || index >= static_cast<int64_t>(parameters.size()) ||
      parameters[static_cast<size_t>(index)].role == Role::scalar)
    throw ValueError("results: no array parameter has the index " + std::to_string(index));
  return static_cast<int>(index);
}

std::vector<int> to_ints(PyObject* sequence) {
  std::vector<int> made;
  Ref items = checked(PySequence_Tuple(sequence));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    made.push_back(static_cast<int>(to_int64(PyTuple_GetItem(items.get(), k))));
  return made;
}

std::vector<std::vector<int>> to_groups(PyObject* sequence) {
  std::vector<std::vector<int>> made;
  if (sequence == nullptr) return made;
  Ref items = checked(PySequence_Tuple(sequence));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    made.push_back(to_ints(PyTuple_GetItem(items.get(), k)));
  return made;
}

std::vector<RowReduction> to_reductions(PyObject* sequence) {
  std::vector<RowReduction> made;
  if (sequence == nullptr) return made;
  for_each_tuple(sequence, 7, "reductions", [&](auto&& field) {
    const double correction = PyFloat_AsDouble(field(3));
    if (correction == -1 && PyErr_Occurred()) throw PythonError();
    made.push_back({to_text(field(0), "name"), to_text(field(1), "reducer"),
                    to_text(field(2), "operation"), correction, flag(field(4), false),
                    to_ints(field(5)), static_cast<int>(to_int64(field(6)))});
  });
  return made;
}

std::vector<std::string> to_texts(PyObject* sequence) {
  std::vector<std::string> texts;
  if (sequence == nullptr) return texts;
  Ref items = checked(PySequence_Tuple(sequence));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    texts.push_back(to_text(PyTuple_GetItem(items.get(), k), "host_options"));
  return texts;
}

// Calls `build` for a kernel. Like every kernel of an expression, what it returns stays loaded for
// the life of the process.
void* build_kernel(PyObject* build, Device device, const std::string& source) {
  const GilHold gil;
  Ref text = py_string(source), where = from_device(device);
  Ref kernel = call_python(PyObject_CallFunctionObjArgs, build, text.get(), where.get(), nullptr);
  const Ref type = import_attribute("gpuarray._core", "Kernel");
  if (checked_status(PyObject_IsInstance(kernel.get(), type.get())) == 0)
    throw TypeError("build: expected a Kernel, got " + type_name(kernel.get()));
  const KernelStatePtr& state = *new KernelStatePtr(kernel_state(kernel.get()));
  return state->kernel->function();
}

std::function<void*(Device, const std::string&)> to_build(PyObject* object) {
  if (!is_given(object)) return nullptr;
  return [build = std::make_shared<Ref>(Ref::borrow(object))](Device device,
                                                              const std::string& source) {
    return build_kernel(build->get(), device, source);
  };
}

void set_results(Program& program, PyObject* results) {
  if (!is_given(results)) return;
  if (!PyTuple_Check(results)) {
    program.returns = Program::Returns::one;
    program.results = {to_result(results, program)};
    return;
  }
  program.returns = Program::Returns::tuple;
  for (Py_ssize_t k = 0; k < PyTuple_Size(results); ++k)
    program.results.push_back(to_result(PyTuple_GetItem(results, k), program));
}

Ref program_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<16> kSignature{
      "_Program",
      {"name", "operation", "parameters", "results", "types", "preamble", "loop_prep", "after_loop",
       "ordered", "build", "host_options", "cuda_only", "arguments", "whole", "exponents",
       "reductions"},
      3,
      3};
  auto [name, operation, parameters, results, types, preamble, loop_prep, after_loop, ordered,
        build, host_options, cuda_only, arguments, whole, exponents, reductions] =
      parse(kSignature, args, kwargs);
  ExpressionText text{.name = to_text(name, "name"),
                      .operation = to_text(operation, "operation"),
                      .preamble = text_or_empty(preamble, "preamble"),
                      .loop_prep = text_or_empty(loop_prep, "loop_prep"),
                      .after_loop = text_or_empty(after_loop, "after_loop"),
                      .types = {},
                      .is_ordered = flag(ordered, true),
                      .host_options = {},
                      .is_cuda_only = false,
                      .build = nullptr,
                      .is_sequential = arguments != nullptr,
                      .whole = to_groups(whole),
                      .exponents = to_groups(exponents),
                      .reductions = to_reductions(reductions)};
  set_compilation(text, build, host_options, cuda_only);
  if (types != nullptr) text.types = expression_types(types);
  auto program = std::make_shared<Program>();
  program->expression =
      std::make_unique<Expression>(std::move(text), expression_parameters(parameters));
  program->arguments = argument_places(arguments);
  set_results(*program, results);
  auto* self = allocate_object<ProgramObject>(type);
  new (&self->program) ProgramPtr(std::move(program));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void program_dealloc(PyObject* object) noexcept {
  reinterpret_cast<ProgramObject*>(object)->program.~ProgramPtr();
  free_object(object);
}

// Contiguous raw arrays of one dimension stand for all in the text.
Ref program_source(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<8> kSignature{
      "source", {"device", "dims", "vectors", "wide", "turned", "lanes", "rounds", "held"}, 1};
  auto [device, dims, vectors, wide, turned, lanes, rounds, held] =
      parse(kSignature, args, nargs, kwnames);
  const Expression& expression = *reinterpret_cast<ProgramObject*>(self)->program->expression;
  std::string raw;
  for (const ExpressionParameter& parameter : expression.parameters())
    if (parameter.role == Role::raw) raw += {1, 1};
  if (!to_text(device, "device").starts_with("cuda"))
    return py_string(source::host(expression, raw));
  const auto number = [](PyObject* object, int otherwise) {
    return object == nullptr ? otherwise : static_cast<int>(to_int64(object));
  };
  const int axes = number(dims, 0);
  const uint32_t mask = turned == nullptr ? 0 : static_cast<uint32_t>(to_int64(turned));
  const Path path = axes == 0 ? Path::flat : mask == 0 ? Path::rows : Path::tile;
  Variant variant{path, axes, flag(vectors, axes == 0 && expression.has_vectors()),
                  flag(wide, false), mask};
  if (expression.has_reductions()) {
    variant.path = Path::rows;
    variant.dims = number(dims, 2);
    variant.lanes = number(lanes, 256);
    variant.rounds = number(rounds, 4);
    variant.held = flag(held, true);
    variant.vector_operands = variant.vectors ? ~0u : 0;
  }
  return py_string(source::cuda(expression, raw, variant));
}

Ref program_sources(PyObject* self, PyObject*) {
  return sources_of(*reinterpret_cast<ProgramObject*>(self)->program->expression);
}

PyMethodDef methods[] = {
    {"sources", method<program_sources>, METH_NOARGS,
     R"(sources($self, /)
--

The texts that were compiled for calls on CUDA devices.)"},
    {"source", method<program_source>, METH_FASTCALL | METH_KEYWORDS,
     R"(source($self, /, device, dims=0, vectors=None, wide=False, turned=0, lanes=256, rounds=4,
       held=True)
--

The text that is compiled for a device's arrays: contiguous ones, or of `dims` axes, by tiles of
the operands in the mask `turned`, if there are such. `vectors`: threads take vectors; None: where
arrays are contiguous and may be read so. Of a program that reduces rows: `lanes` threads take
a row in `rounds`, in which it stays in registers if `held`.)"},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, slot<program_create>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&program_dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

}  // namespace

std::vector<ExpressionParameter> expression_parameters(PyObject* sequence) {
  std::vector<ExpressionParameter> parameters;
  for_each_tuple(sequence, 5, "parameters", [&](auto&& field) {
    ExpressionParameter made{to_text(field(0), "name"), to_dtype(field(1)), to_dtype(field(4)),
                             to_role(field(2)), flag(field(3), false)};
    if (made.role != Role::element && made.dtype != made.memory)
      throw ValueError(made.name + ": only elements are converted");
    parameters.push_back(std::move(made));
  });
  return parameters;
}

Ref sources_of(Expression& expression) {
  const std::vector<std::string> sources = expression.sources();
  Ref made = checked(PyTuple_New(static_cast<Py_ssize_t>(sources.size())));
  for (size_t k = 0; k < sources.size(); ++k)
    PyTuple_SetItem(made.get(), static_cast<Py_ssize_t>(k), py_string(sources[k]).release());
  return made;
}

void set_compilation(ExpressionText& text, PyObject* build, PyObject* host_options,
                     PyObject* cuda_only) {
  text.build = to_build(build);
  text.host_options = to_texts(host_options);
  text.is_cuda_only = flag(cuda_only, false);
}

std::vector<std::pair<std::string, DType>> expression_types(PyObject* sequence) {
  std::vector<std::pair<std::string, DType>> types;
  for_each_tuple(sequence, 2, "types", [&](auto&& field) {
    types.emplace_back(to_text(field(0), "types"), to_dtype(field(1)));
  });
  return types;
}

ArgumentPlaces argument_places(PyObject* sequence) {
  if (!is_given(sequence)) return std::nullopt;
  return to_ints(sequence);
}

const ProgramPtr* expression_program_of(PyObject* object) {
  if (Py_TYPE(object) != program_type) return nullptr;
  return &reinterpret_cast<ProgramObject*>(object)->program;
}

AnyProgram program_of(PyObject* object) {
  if (object == Py_None) return {};
  if (const ProgramPtr* program = expression_program_of(object)) return *program;
  if (const FoldProgramPtr* fold = fold_program_of(object)) return *fold;
  throw TypeError("expected a _Program, a _Fold or None, got " + type_name(object));
}

void add_program_type(PyObject* module) {
  if (program_type == nullptr)
    program_type = make_type(module, "gpuarray._core._Program", sizeof(ProgramObject), slots);
  add_type(module, "_Program", program_type);
}

}  // namespace gpuarray::py
