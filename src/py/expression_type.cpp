// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "array/expression.hpp"
#include "backend/backend.hpp"
#include "core/error.hpp"
#include "py/arguments.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/current_stream.hpp"
#include "py/elementwise.hpp"
#include "py/expression.hpp"
#include "py/gil.hpp"
#include "py/numpy.hpp"
#include "py/parts.hpp"
#include "py/type_helpers.hpp"

namespace gpuarray::py {
namespace {

constexpr const char* kDoc =
    "_Dispatcher(name, names, outputs=0, ranks=False)\n--\n\n"
    "A callable that runs programs: one for each signature, the dtypes of the arguments, which "
    "the\n"
    "method _specialize(signature) of a derived class makes at the first call with it.\n\n"
    "names: of the arguments; up to `outputs` arrays may follow them, or stand in out=. The\n"
    "signature is a tuple of ('array', dtype), ('scalar', dtype) for NumPy's scalars and bool, "
    "and\n"
    "('weak', 'int'), 'float' or 'complex'; with `ranks`, arrays as ('array', dtype, ndim).";

struct DispatcherState {
  std::string name;
  std::vector<std::string> names;
  int outputs = 0;
  bool ranks = false;
  std::unordered_map<std::string, ProgramPtr> programs;  // by signature
};

struct DispatcherObject {
  PyObject_HEAD DispatcherState state;
};

DispatcherState& state_of(PyObject* self) {
  return reinterpret_cast<DispatcherObject*>(self)->state;
}

// The arguments of one call.
struct CallArguments {
  int count = 0;
  PyObject* objects[kMostParameters];  // borrowed; GPUArrays where they are arrays
  ops::Argument values[kMostParameters];
  std::vector<Ref> held;  // arrays that were made of other libraries'
  std::string signature;
  PyObject* stream = nullptr;
  PyObject* steps = nullptr;  // PyCUDA's range= or slice=
  std::optional<int64_t> size;
  int64_t start = 0, step = 1;
};

// One byte a dtype; the letters of weak scalars are beyond them.
constexpr char kScalar = 0x20, kWeak = 0x40;

char code_of(const Scalar& scalar) {
  if (scalar.weak) return static_cast<char>(kWeak | (scalar.given_kind() & 0x1f));
  return static_cast<char>(kScalar | static_cast<char>(scalar.dtype));
}

// A view of another library's array.
Ref foreign_array(PyObject* object) {
  return checked(
      PyObject_CallFunctionObjArgs(import_attribute("gpuarray", "asarray").get(), object, nullptr));
}

bool is_foreign(PyObject* object) {
  if (is_ndarray(object)) return false;
  for (const char* name : {"__cuda_array_interface__", "__dlpack__"}) {
    Ref found = Ref::steal(PyObject_GetAttrString(object, name));
    if (found) return true;
    PyErr_Clear();
  }
  return false;
}

void add_array(const DispatcherState& state, CallArguments& call, PyObject* object) {
  const Array& array = as_array(object);
  call.objects[call.count] = object;
  call.values[call.count++].array = &array;
  call.signature += static_cast<char>(array.dtype());
  if (state.ranks) call.signature += static_cast<char>(array.ndim());
}

void add_argument(const DispatcherState& state, CallArguments& call, PyObject* object) {
  if (call.count == kMostParameters)
    throw TypeError(state.name + ": expected at most " + std::to_string(kMostParameters) +
                    " arguments");
  if (is_array(object)) return add_array(state, call, object);
  const std::optional<Operand> operand = as_operand(object);
  if (!operand) {
    if (!is_foreign(object)) refuse_operands(state.name.c_str(), {&object, 1});
    call.held.push_back(foreign_array(object));
    return add_array(state, call, call.held.back().get());
  }
  call.objects[call.count] = object;
  call.values[call.count++].scalar = operand->scalar();
  call.signature += code_of(operand->scalar());
}

void add_outputs(const DispatcherState& state, CallArguments& call, PyObject* out) {
  if (out == Py_None) return;
  if (!PyTuple_Check(out)) return add_argument(state, call, out);
  for (Py_ssize_t k = 0; k < PyTuple_Size(out); ++k)
    add_argument(state, call, PyTuple_GetItem(out, k));
}

int index_of_name(const DispatcherState& state, PyObject* name) {
  for (size_t k = 0; k < state.names.size(); ++k)
    if (PyUnicode_CompareWithASCIIString(name, state.names[k].c_str()) == 0)
      return static_cast<int>(k);
  return -1;
}

[[noreturn]] void refuse_keyword(const DispatcherState& state, PyObject* name) {
  throw TypeError(state.name + "() got an unexpected keyword argument '" + to_text(name, "name") +
                  "'");
}

std::string count_text(const DispatcherState& state) {
  const size_t least = state.names.size();
  const std::string most = std::to_string(least + static_cast<size_t>(state.outputs));
  return state.outputs == 0 ? most : std::to_string(least) + " to " + most;
}

// Keywords other than the arguments' names; `out` goes to the end.
bool take_option(CallArguments& call, PyObject* name, PyObject* value, PyObject*& out) {
  const auto is = [name](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is("out")) {
    out = value;
  } else if (is("stream")) {
    call.stream = value;
  } else if (is("size")) {
    if (value != Py_None) call.size = to_int64(value);
  } else if (is("range") || is("slice")) {
    call.steps = value == Py_None ? nullptr : value;
  } else if (!is("block_size")) {  // CuPy's; ours follows from the arrays
    return false;
  }
  return true;
}

void take_arguments(const DispatcherState& state, CallArguments& call, PyObject* args,
                    PyObject* kwargs) {
  PyObject* named[kMostParameters] = {};
  PyObject* out = nullptr;
  PyObject *name, *value;
  const Py_ssize_t given = PyTuple_Size(args);
  for (Py_ssize_t at = 0; kwargs != nullptr && PyDict_Next(kwargs, &at, &name, &value);) {
    const int index = index_of_name(state, name);
    if (index >= given)
      named[index] = value;
    else if (!take_option(call, name, value, out))
      refuse_keyword(state, name);
  }
  for (Py_ssize_t k = 0; k < given; ++k) add_argument(state, call, PyTuple_GetItem(args, k));
  while (call.count < static_cast<int>(state.names.size())) {
    if (named[call.count] == nullptr)
      throw TypeError(state.name + ": expected " + count_text(state) + " arguments, got " +
                      std::to_string(given));
    add_argument(state, call, named[call.count]);
  }
  if (out != nullptr) add_outputs(state, call, out);
  if (call.count > static_cast<int>(state.names.size()) + state.outputs)
    throw TypeError(state.name + ": expected " + count_text(state) + " arguments, got " +
                    std::to_string(call.count));
}

Ref describe(const DispatcherState& state, const ops::Argument& argument) {
  if (argument.array == nullptr) {
    const Scalar& scalar = argument.scalar;
    if (!scalar.weak) return checked(Py_BuildValue("(ss)", "scalar", name(scalar.dtype)));
    const char given = scalar.given_kind();
    return checked(Py_BuildValue("(ss)", "weak",
                                 given == 'i'   ? "int"
                                 : given == 'f' ? "float"
                                                : "complex"));
  }
  const Array& array = *argument.array;
  if (!state.ranks) return checked(Py_BuildValue("(ss)", "array", name(array.dtype())));
  return checked(Py_BuildValue("(ssi)", "array", name(array.dtype()), array.ndim()));
}

ProgramPtr specialize(PyObject* self, const CallArguments& call) {
  const DispatcherState& state = state_of(self);
  Ref signature = checked(PyTuple_New(call.count));
  for (int k = 0; k < call.count; ++k)
    PyTuple_SetItem(signature.get(), k, describe(state, call.values[k]).release());
  Ref program = checked(PyObject_CallMethod(self, "_specialize", "(O)", signature.get()));
  return program_of(program.get());
}

const ProgramPtr& find_program(PyObject* self, const CallArguments& call) {
  auto& programs = state_of(self).programs;
  if (const auto found = programs.find(call.signature); found != programs.end())
    return found->second;
  ProgramPtr made = specialize(self, call);  // may run any Python, this call too
  return programs.try_emplace(call.signature, std::move(made)).first->second;
}

Device device_of(const DispatcherState& state, const CallArguments& call) {
  const Array* first = nullptr;
  for (int k = 0; k < call.count; ++k) {
    const Array* array = call.values[k].array;
    if (array == nullptr) continue;
    if (first == nullptr) first = array;
    if (array->device() != first->device())
      throw DeviceError(state.name + ": operands are on different devices, " +
                        to_string(first->device()) + " and " + to_string(array->device()) +
                        "; copy one with to_device()");
  }
  return first == nullptr ? to_device(nullptr) : first->device();
}

// Scalars become those of their parameters. Throws for arguments that do not fit the program.
void fit_arguments(const DispatcherState& state, CallArguments& call,
                   const Expression& expression) {
  const auto parameters = expression.parameters();
  if (static_cast<size_t>(call.count) > parameters.size())
    throw TypeError(state.name + ": got " + std::to_string(call.count) + " arguments, expected " +
                    std::to_string(parameters.size()));
  for (int k = 0; k < call.count; ++k) {
    const ExpressionParameter& parameter = parameters[static_cast<size_t>(k)];
    ops::Argument& value = call.values[k];
    const bool is_scalar = value.array == nullptr;
    if (is_scalar != (parameter.role == Role::scalar) ||
        (!is_scalar && value.array->dtype() != parameter.memory))
      throw TypeError(state.name + ": " + parameter.name + " does not fit its program");
    if (is_scalar && (value.scalar.weak || value.scalar.dtype != parameter.dtype))
      value.scalar = cast_scalar(value.scalar, parameter.dtype);
  }
}

int64_t integer_attribute(PyObject* object, const char* name) {
  return to_int64(checked(PyObject_GetAttrString(object, name)).get());
}

// The indices that a range or a slice of the first array leaves.
void set_steps(const DispatcherState& state, CallArguments& call, const Expression& expression) {
  if (call.steps == nullptr) return;
  const auto is_array = [](const ops::Argument& value) { return value.array != nullptr; };
  const auto first = std::find_if(call.values, call.values + call.count, is_array);
  if (!expression.has_pointers() || first == call.values + call.count)
    throw TypeError(state.name + ": range and slice are for kernels of pointers");
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Check(call.steps)) {
    checked_status(PySlice_Unpack(call.steps, &start, &stop, &step));
    call.size = PySlice_AdjustIndices(first->array->size(), &start, &stop, step);
  } else if (PyRange_Check(call.steps)) {
    call.size = checked_status(PyObject_Size(call.steps));
    start = integer_attribute(call.steps, "start");
    step = integer_attribute(call.steps, "step");
  } else {
    throw TypeError(state.name + ": expected a range or a slice, got " + type_name(call.steps));
  }
  call.start = start;
  call.step = step;
}

int64_t longest(const CallArguments& call) {
  int64_t size = call.size.value_or(0);
  for (int k = 0; k < call.count; ++k)
    if (call.values[k].array != nullptr) size = std::max(size, call.values[k].array->size());
  return size;
}

Ref results_of(const Program& program, const CallArguments& call, PyObject* const* made) {
  const auto result = [&](int k) {
    return Ref::borrow(k < call.count ? call.objects[k] : made[k - call.count]);
  };
  if (program.returns == Program::Returns::nothing) return none();
  if (program.returns == Program::Returns::one) return result(program.results[0]);
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(program.results.size())));
  for (size_t k = 0; k < program.results.size(); ++k)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(k), result(program.results[k]).release());
  return tuple;
}

Ref dispatcher_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  const DispatcherState& state = state_of(self);
  CallArguments call;
  take_arguments(state, call, args, kwargs);
  const Device device = device_of(state, call);
  const ProgramPtr program = find_program(self, call);
  Expression& expression = *program->expression;
  fit_arguments(state, call, expression);
  set_steps(state, call, expression);
  const StreamScope scope(call.stream, device);
  const size_t count = expression.parameters().size();
  const size_t made_count = count - static_cast<size_t>(call.count);
  std::vector<Array> made(made_count);
  without_gil_if(runs_long(device, longest(call)), [&] {
    ops::run_expression(expression,
                        {{call.values, count}, device, call.size, call.start, call.step}, made);
  });
  std::vector<Ref> arrays;
  PyObject* results[kMostParameters];
  for (size_t k = 0; k < made_count; ++k) {
    arrays.push_back(new_array(std::move(made[k])));
    results[k] = arrays[k].get();
  }
  return results_of(*program, call, results);
}

Ref dispatcher_create(PyTypeObject* type, PyObject*, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref self = checked(allocate(type, 0));
  new (&reinterpret_cast<DispatcherObject*>(self.get())->state) DispatcherState();
  return self;
}

void dispatcher_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<4> kSignature{"_Dispatcher", {"name", "names", "outputs", "ranks"}, 2};
  auto [name, names, outputs, ranks] = parse(kSignature, args, kwargs);
  DispatcherState state;
  state.name = to_text(name, "name");
  Ref items = checked(PySequence_Tuple(names));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    state.names.push_back(to_text(PyTuple_GetItem(items.get(), k), "names"));
  if (outputs != nullptr) state.outputs = static_cast<int>(to_int64(outputs));
  state.ranks = ranks != nullptr && checked_status(PyObject_IsTrue(ranks)) == 1;
  if (state.names.size() > size_t{kMostParameters})
    throw ValueError(state.name + ": expected at most " + std::to_string(kMostParameters) +
                     " arguments");
  state_of(self) = std::move(state);
}

// The type may be a derived one with memory of its own kind.
void dispatcher_dealloc(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  state_of(self).~DispatcherState();
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, slot<dispatcher_create>},
    {Py_tp_init, slot<dispatcher_init>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&dispatcher_dealloc)},
    {Py_tp_call, slot<dispatcher_call>},
    {0, nullptr},
};

}  // namespace

void add_dispatcher_type(PyObject* module) {
  static PyTypeObject* const type = [module] {
    PyType_Spec spec{"gpuarray._core._Dispatcher", sizeof(DispatcherObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots};
    return reinterpret_cast<PyTypeObject*>(
        checked(PyType_FromModuleAndSpec(module, &spec, nullptr)).release());
  }();
  add_type(module, "_Dispatcher", type);
}

}  // namespace gpuarray::py
