// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/expression/expression.hpp"
#include "py/expression/expression_arguments.hpp"
#include "py/expression/parts.hpp"
#include "runtime/code/jit.hpp"

namespace gpuarray::py {
namespace {

constexpr const char* kDoc =
    "_Dispatcher(name, names, outputs=0, ranks=False)\n--\n\n"
    "A callable that runs programs: one for each signature, the dtypes of the arguments, which "
    "the\n"
    "method _specialize(signature) of a derived class makes at the first call with it; None for\n"
    "calls that go to _unfused(arguments, stream).\n\n"
    "names: of the arguments; up to `outputs` arrays may follow them, or stand in out=. The\n"
    "signature is a tuple of ('array', dtype), ('scalar', dtype) for NumPy's scalars and bool, "
    "and\n"
    "('weak', 'int'), 'float' or 'complex'; with `ranks`, arrays as ('array', dtype, ndim).";

struct DispatcherState {
  CallSpec spec;
  std::unordered_map<std::string, ProgramPtr> programs;  // by signature
};

struct DispatcherObject {
  PyObject_HEAD DispatcherState state;
};

DispatcherState& state_of(PyObject* self) {
  return reinterpret_cast<DispatcherObject*>(self)->state;
}

// Of the call's signature; made at the first call with it.
ProgramPtr find_program(PyObject* self, const ExpressionArguments& arguments) {
  auto& programs = state_of(self).programs;
  if (const auto found = programs.find(arguments.signature()); found != programs.end())
    return found->second;
  Ref signature = arguments.describe();
  Ref made = checked(PyObject_CallMethod(self, "_specialize", "(O)", signature.get()));
  ProgramPtr program = made.get() == Py_None ? nullptr : program_of(made.get());
  // It may have run any Python, this very call too.
  return programs.try_emplace(arguments.signature(), std::move(program)).first->second;
}

Ref results_of(const Program& program, const ExpressionArguments& arguments,
               std::vector<Array>& made) {
  std::vector<Ref> arrays;
  for (Array& array : made) arrays.push_back(new_array(std::move(array)));
  const std::vector<int>* places = program.places();
  const int given = places != nullptr ? static_cast<int>(places->size()) : arguments.count();
  const auto result = [&](int k) {
    if (k >= given) return Ref::borrow(arrays[static_cast<size_t>(k - given)].get());
    return Ref::borrow(arguments.object(places != nullptr ? (*places)[static_cast<size_t>(k)] : k));
  };
  if (program.returns == Program::Returns::nothing) return none();
  if (program.returns == Program::Returns::one) return result(program.results[0]);
  Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(program.results.size())));
  for (size_t k = 0; k < program.results.size(); ++k)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(k), result(program.results[k]).release());
  return tuple;
}

Ref run(const Program& program, ExpressionArguments& arguments, Device device) {
  const ops::ExpressionCall call = arguments.fitted(*program.expression, program.places());
  const StreamScope scope(arguments.stream(), device);
  const size_t given =
      program.arguments ? program.arguments->size() : static_cast<size_t>(arguments.count());
  std::vector<Array> made(call.arguments.size() - given);
  without_gil_if(runs_long(device, arguments.longest()),
                 [&] { ops::run_expression(*program.expression, call, made); });
  return results_of(program, arguments, made);
}

// The operations of a fused function one by one: right for every call, or the error that it is.
Ref run_unfused(PyObject* self, const ExpressionArguments& arguments) {
  Ref objects = checked(PyTuple_New(arguments.count()));
  for (int k = 0; k < arguments.count(); ++k)
    PyTuple_SetItem(objects.get(), k, Ref::borrow(arguments.object(k)).release());
  PyObject* stream = arguments.stream() == nullptr ? Py_None : arguments.stream();
  return checked(PyObject_CallMethod(self, "_unfused", "OO", objects.get(), stream));
}

Ref dispatcher_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  ExpressionArguments arguments(state_of(self).spec, args, kwargs);
  const Device device = arguments.device();
  const ProgramPtr program = find_program(self, arguments);
  if (program == nullptr) return run_unfused(self, arguments);
  if (!program->arguments) return run(*program, arguments, device);
  try {
    return run(*program, arguments, device);
  } catch (const ValueError&) {
  } catch (const OverflowError&) {
  } catch (const DeviceError& error) {  // no compiler
    const bool only_elsewhere = device.is_cpu() && program->expression->text().is_cuda_only;
    if (!only_elsewhere) warn_not_compiled(error.what());
  }
  return run_unfused(self, arguments);
}

Ref dispatcher_create(PyTypeObject* type, PyObject*, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref self = checked(allocate(type, 0));
  new (&state_of(self.get())) DispatcherState();
  return self;
}

void dispatcher_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<4> kSignature{"_Dispatcher", {"name", "names", "outputs", "ranks"}, 2};
  auto [name, names, outputs, ranks] = parse(kSignature, args, kwargs);
  CallSpec spec;
  spec.name = to_text(name, "name");
  Ref items = checked(PySequence_Tuple(names));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    spec.names.push_back(to_text(PyTuple_GetItem(items.get(), k), "names"));
  if (outputs != nullptr) spec.outputs = static_cast<int>(to_int64(outputs));
  spec.ranks = ranks != nullptr && checked_status(PyObject_IsTrue(ranks)) == 1;
  if (spec.names.size() > size_t{kMostParameters})
    throw ValueError(spec.name + ": expected at most " + std::to_string(kMostParameters) +
                     " arguments");
  state_of(self) = {std::move(spec), {}};
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
