// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/gil_stand_in.hpp"
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
    R"(_Dispatcher(name, names, outputs=0, ranks=False, *, positional=None, defaults=None,
            variadic=False, function=False, fallback=True)
--

A callable that runs one program for each signature, that is, for each combination of dtypes.

names: the names of the arguments; up to `outputs` arrays may follow them, or stand in out=.
positional: how many of them may be given by position, by default all. defaults: (index, value) of
the arguments that have a default value. variadic: whether *arrays follow. function: whether a
Python function is behind it, so that calls take objects of any type, and stream= alone. fallback:
whether calls that a program refuses go to _unfused.

A derived class has the method _specialize(signature). It returns the _Program or _Fold for the
signature, None if calls with it go to _unfused(arguments), or NotImplemented if the
arguments are to be read anew, because it called _read_attribute. The signature is a tuple of
('array', dtype), ('scalar', dtype) for NumPy's scalars and bool, and ('weak', 'int'), 'float' or
'complex'; with `ranks`, arrays are ('array', dtype, ndim).

A function also has _key(object, owner), which returns an int, equal for objects that are alike to
it, or None for objects that it does not take; owner is None, or the object whose attribute it is.
It has _inlined(args, kwargs) for calls in a function that is being traced, and ('object', object)
in its signatures. Attributes that it reads follow the arguments in those, with (owner, name) as a
third item; one that is missing is ('absent', None).)";

struct DispatcherState {
  CallSpec spec;    // set once, by __init__
  GilStandIn lock;  // guards the following
  AttributeReadsPtr reads;
  std::unordered_map<std::string, AnyProgram> programs;  // by signature
};

struct DispatcherObject {
  PyObject_HEAD DispatcherState state;
};

DispatcherState& state_of(PyObject* self) {
  return reinterpret_cast<DispatcherObject*>(self)->state;
}

std::optional<AnyProgram> known_program(DispatcherState& state, const std::string& signature) {
  const std::lock_guard lock(state.lock);
  const auto found = state.programs.find(signature);
  return found == state.programs.end() ? std::nullopt : std::optional(found->second);
}

AttributeReadsPtr attribute_reads(DispatcherState& state) {
  const std::lock_guard lock(state.lock);
  return state.reads;
}

// Returns the program of the call's signature, which the first call with that signature makes;
// nullopt if the arguments have to be read anew.
std::optional<AnyProgram> find_program(PyObject* self, const ExpressionArguments& arguments) {
  DispatcherState& state = state_of(self);
  if (std::optional<AnyProgram> known = known_program(state, arguments.signature())) return known;
  Ref signature = arguments.describe();
  Ref made = call_python(PyObject_CallMethod, self, "_specialize", "(O)", signature.get());
  if (made.get() == Py_NotImplemented) return std::nullopt;
  // _specialize may have run any Python, even a call with this signature, whose program stays.
  AnyProgram program = program_of(made.get());
  const std::lock_guard lock(state.lock);
  return state.programs.try_emplace(arguments.signature(), std::move(program)).first->second;
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

Ref run(FoldProgram& program, ExpressionArguments& arguments, Device device) {
  const std::vector<int>* places = program.arguments ? &*program.arguments : nullptr;
  const ops::ExpressionCall call = arguments.fitted(program.fold.expression(), places);
  return run_fold(program.fold, call.arguments, device, program.axis.get(), program.keepdims,
                  nullptr, arguments.stream());
}

// Calls the function itself: its operations one by one are right for every call, or raise the error
// that the call deserves.
Ref run_unfused(PyObject* self, const ExpressionArguments& arguments, Device device) {
  Ref objects = checked(PyTuple_New(arguments.count()));
  for (int k = 0; k < arguments.count(); ++k)
    PyTuple_SetItem(objects.get(), k, Ref::borrow(arguments.object(k)).release());
  const StreamScope scope(arguments.stream(), device);
  return call_python(PyObject_CallMethod, self, "_unfused", "(O)", objects.get());
}

template <class AProgram>
Ref run_or_unfused(PyObject* self, AProgram& program, const Expression& expression,
                   ExpressionArguments& arguments, Device device) {
  if (!program.arguments) return run(program, arguments, device);
  if (const CallSpec& spec = state_of(self).spec; !spec.has_fallback) {
    try {
      return run(program, arguments, device);
    } catch (const DeviceError& error) {
      throw DeviceError(
          spec.name +
          ": the file has no kernel for arrays of these layouts on this device; save() "
          "writes those of the calls before; " +
          error.what());
    }
  }
  try {
    return run(program, arguments, device);
  } catch (const ValueError&) {  // the function itself runs, and says what is wrong
  } catch (const AxisError&) {
  } catch (const OverflowError&) {
  } catch (const DeviceError& error) {  // there is no compiler
    const bool runs_elsewhere = device.is_cpu() && expression.text().is_cuda_only;
    if (!runs_elsewhere) warn_not_compiled(error.what());
  }
  return run_unfused(self, arguments, device);
}

Ref run_found(PyObject* self, const AnyProgram& found, ExpressionArguments& arguments,
              Device device) {
  if (const auto* program = std::get_if<ProgramPtr>(&found))
    return run_or_unfused(self, **program, *(*program)->expression, arguments, device);
  if (const auto* program = std::get_if<FoldProgramPtr>(&found))
    return run_or_unfused(self, **program, (*program)->fold.expression(), arguments, device);
  return run_unfused(self, arguments, device);
}

Ref dispatcher_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  for (;;) {
    DispatcherState& state = state_of(self);
    ExpressionArguments arguments(state.spec, attribute_reads(state), self, args, kwargs);
    if (arguments.is_traced())
      return call_python(PyObject_CallMethod, self, "_inlined", "OO", args, or_none(kwargs));
    const Device device = arguments.device();
    if (!arguments.fits()) return run_unfused(self, arguments, device);
    if (const std::optional<AnyProgram> found = find_program(self, arguments))
      return run_found(self, *found, arguments, device);
  }
}

// Returns the list with one more attribute, or with the one in it that is the same.
AttributeReadsPtr with_read(const AttributeReads* before, int index, PyObject* name,
                            bool is_constant) {
  auto reads = std::make_shared<AttributeReads>();
  bool is_known = false;
  if (before != nullptr)
    for (const AttributeRead& read : *before) {
      const bool same = read.owner == index && PyUnicode_Compare(read.name.get(), name) == 0;
      is_known |= same;
      reads->push_back(
          {read.owner, Ref::borrow(read.name.get()), read.is_constant || (same && is_constant)});
    }
  if (!is_known) reads->push_back({index, Ref::borrow(name), is_constant});
  return reads;
}

// Implements _read_attribute(owner, name, constant).
Ref dispatcher_read_attribute(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_read_attribute", {"owner", "name", "constant"}, 3};
  auto [owner, name, constant] = parse(kSignature, args, nargs, kwnames);
  DispatcherState& state = state_of(self);
  const int index = static_cast<int>(to_int64(owner));
  const bool is_constant = checked_status(PyObject_IsTrue(constant)) == 1;
  // Calls in progress keep the list that they began with.
  while (true) {
    const AttributeReadsPtr before = attribute_reads(state);
    AttributeReadsPtr now = with_read(before.get(), index, name, is_constant);
    const std::lock_guard lock(state.lock);
    if (state.reads != before) continue;  // another thread has added one meanwhile
    state.reads.swap(now);
    return none();
  }
}

Ref dispatcher_create(PyTypeObject* type, PyObject*, PyObject*) {
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref self = checked(allocate(type, 0));
  new (&state_of(self.get())) DispatcherState();
  return self;
}

void set_defaults(CallSpec& spec, PyObject* defaults) {
  if (!is_given(defaults)) return;
  spec.defaults.resize(spec.names.size());
  Ref items = checked(PySequence_Tuple(defaults));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k) {
    PyObject* const item = PyTuple_GetItem(items.get(), k);
    tuple_size(item, "defaults", 2);
    const int64_t index = to_int64(PyTuple_GetItem(item, 0));
    if (index < 0 || static_cast<size_t>(index) >= spec.names.size())
      throw ValueError("defaults: no argument has the index " + std::to_string(index));
    spec.defaults[static_cast<size_t>(index)] = Ref::borrow(PyTuple_GetItem(item, 1));
  }
}

void dispatcher_init(PyObject* self, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<9> kSignature{"_Dispatcher",
                                           {"name", "names", "outputs", "ranks", "positional",
                                            "defaults", "variadic", "function", "fallback"},
                                           2,
                                           4};
  auto [name, names, outputs, ranks, positional, defaults, variadic, function, fallback] =
      parse(kSignature, args, kwargs);
  const auto flag = [](PyObject* object, bool otherwise = false) {
    return object == nullptr ? otherwise : checked_status(PyObject_IsTrue(object)) == 1;
  };
  CallSpec spec;
  spec.name = to_text(name, "name");
  Ref items = checked(PySequence_Tuple(names));
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    spec.names.push_back(to_text(PyTuple_GetItem(items.get(), k), "names"));
  if (spec.names.size() > size_t{kMostParameters})
    throw ValueError(spec.name + ": expected at most " + std::to_string(kMostParameters) +
                     " arguments");
  if (outputs != nullptr) spec.outputs = static_cast<int>(to_int64(outputs));
  spec.has_ranks = flag(ranks);
  spec.positional =
      static_cast<int>(is_given(positional) ? to_int64(positional) : int64_t(spec.names.size()));
  set_defaults(spec, defaults);
  spec.is_variadic = flag(variadic);
  spec.is_function = flag(function);
  spec.has_fallback = flag(fallback, true);
  state_of(self).spec = std::move(spec);
}

// Frees the object. A derived type may allocate its objects in another way, so its own tp_free is
// called.
void dispatcher_dealloc(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  state_of(self).~DispatcherState();
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"_read_attribute", method<dispatcher_read_attribute>, METH_FASTCALL | METH_KEYWORDS,
     R"(_read_attribute($self, /, owner, name, constant)
--

Let calls read this attribute of an argument, too; `constant`: a number belongs to the signature.

The owner is the index of the argument, or ~k for the k-th attribute that is read.)"},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kDoc)},
    {Py_tp_new, slot<dispatcher_create>},
    {Py_tp_init, slot<dispatcher_init>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&dispatcher_dealloc)},
    {Py_tp_call, slot<dispatcher_call>},
    {Py_tp_methods, methods},
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
