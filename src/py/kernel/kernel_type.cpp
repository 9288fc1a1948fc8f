// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_type.hpp"
#include "py/kernel/parts.hpp"

#include <cstddef>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/vectorcall.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/kernel_attributes.hpp"
#include "py/kernel/kernel_config.hpp"
#include "py/kernel/kernel_recipe.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* kernel_type = nullptr;

constexpr const char* kKernelDoc =
    R"(A kernel of a module on its device. kernel[grid, block](*args) launches it, and so does
kernel(*args, grid=1, block=, shared_bytes=0, stream=None, cooperative=False, cluster=None,
strided=False); kernel[grid, block, stream, shared_bytes] and kernel.for_size(n) are launches
to keep. A grid or block is an int or a tuple of 1 to 3.

Asynchronous on the stream, by default the current one, after pending work on the arrays.
Arguments are GPUArrays and what exports the CUDA array interface or DLPack, NumPy and Python
numbers, structured NumPy scalars, ctypes values, addresses as ints, and In, Out and InOut of
gpuarray.driver. They are checked against the compiled kernel first: TypeError for a wrong
number, size or type, ValueError for a grid or block beyond the device's limits.)";

void call_with_items(const KernelState& state, const LaunchRequest& request, PyObject* tuple) {
  std::vector<PyObject*> items;
  for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); ++k) items.push_back(PyTuple_GetItem(tuple, k));
  run_kernel(state, request.config, request.stream, request.strided, items.data(),
             static_cast<Py_ssize_t>(items.size()));
}

// Returns whether the kernel is called as in CuPy: kernel(grid, block, args).
bool is_call_with_tuple(PyObject* const* args, Py_ssize_t nargs, const LaunchRequest& request) {
  return nargs == 3 && !request.has_grid && !request.has_block && PyTuple_Check(args[0]) &&
         PyTuple_Check(args[1]) && PyTuple_Check(args[2]);
}

Ref kernel_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const KernelStatePtr state = kernel_state(self);
  const char* name = state->kernel->name().c_str();
  LaunchRequest request;
  request.set_keywords(name, kwnames, args + nargs);
  const bool with_tuple = is_call_with_tuple(args, nargs, request);
  if (with_tuple) {
    request.set_grid(args[0]);
    request.set_block(args[1]);
  }
  request.require_block(name);
  state->kernel->check(request.config);
  if (with_tuple)
    call_with_items(*state, request, args[2]);
  else
    run_kernel(*state, request.config, request.stream, request.strided, args, nargs);
  return none();
}

// Implements kernel[grid, block], kernel[grid, block, stream] and kernel[grid, block, stream,
// shared_bytes].
Ref kernel_subscript(PyObject* self, PyObject* key) {
  const Py_ssize_t count = PyTuple_Check(key) ? PyTuple_Size(key) : 1;
  if (count < 2 || count > 4)
    throw TypeError(
        "expected kernel[grid, block], kernel[grid, block, stream] or kernel[grid, block, "
        "stream, shared_bytes]");
  LaunchRequest request;
  request.set_grid(PyTuple_GetItem(key, 0));
  request.set_block(PyTuple_GetItem(key, 1));
  if (count > 2) request.stream = PyTuple_GetItem(key, 2);
  if (count > 3) request.set_shared_bytes(PyTuple_GetItem(key, 3));
  const KernelStatePtr state = kernel_state(self);
  state->kernel->check(request.config);
  return new_launcher(state, request);
}

// Implements configure(grid, block, *, ...), whose positional arguments may also be keywords.
Ref kernel_configure(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs > 2)
    throw TypeError("configure() takes 2 positional arguments but " + std::to_string(nargs) +
                    " were given");
  LaunchRequest request;
  if (nargs > 0) request.set_grid(args[0]);
  if (nargs > 1) request.set_block(args[1]);
  request.set_keywords("configure", kwnames, args + nargs);
  request.require_block("configure");
  const KernelStatePtr state = kernel_state(self);
  state->kernel->check(request.config);
  return new_launcher(state, request);
}

// Converts the number of threads along each axis; a 0 launches nothing. Throws ValueError.
std::vector<int64_t> to_sizes(PyObject* object) {
  std::vector<int64_t> sizes;
  if (PyTuple_Check(object) == 0) {
    sizes.push_back(to_int64(object));
  } else {
    for (Py_ssize_t k = 0; k < PyTuple_Size(object); ++k)
      sizes.push_back(to_int64(PyTuple_GetItem(object, k)));
  }
  if (sizes.empty() || sizes.size() > 3)
    throw ValueError("for_size: expected 1 to 3 sizes, got " + std::to_string(sizes.size()));
  for (const int64_t size : sizes)
    if (size < 0) throw ValueError("for_size: expected at least 0, got " + std::to_string(size));
  return sizes;
}

// Sets the smallest grid with at least `sizes` threads. Throws ValueError if it is too large.
void set_grid_for(LaunchRequest& request, const std::vector<int64_t>& sizes) {
  auto& [grid, block, shared_bytes] = request.config.shape;
  bool is_empty = false;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t blocks = sizes[axis] / block[axis] + (sizes[axis] % block[axis] != 0);
    if (blocks > INT32_MAX)
      throw ValueError("for_size: size " + std::to_string(sizes[axis]) + " takes " +
                       std::to_string(blocks) + " blocks of " + std::to_string(block[axis]) +
                       " threads, the limit is " + std::to_string(INT32_MAX));
    grid[axis] = static_cast<uint32_t>(blocks);
    is_empty = is_empty || blocks == 0;
  }
  if (is_empty) grid[0] = grid[1] = grid[2] = 0;
}

Ref kernel_for_size(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs < 1 || nargs > 2)
    throw TypeError("for_size() takes a size and perhaps a block, got " + std::to_string(nargs) +
                    " positional arguments");
  const std::vector<int64_t> sizes = to_sizes(args[0]);
  LaunchRequest request;
  request.set_keywords("for_size", kwnames, args + nargs);
  if (request.has_grid) throw TypeError("for_size: the grid follows from the size");
  if (nargs > 1 && args[1] != Py_None) request.set_block(args[1]);
  const KernelStatePtr state = kernel_state(self);
  if (!request.has_block && sizes.size() > 1)
    throw ValueError("for_size: sizes along " + std::to_string(sizes.size()) +
                     " axes need a block");
  if (!request.has_block)
    request.config.shape.block[0] =
        static_cast<uint32_t>(state->kernel->suggested_block(request.config.shape.shared_bytes));
  set_grid_for(request, sizes);
  state->kernel->check(request.config);
  return new_launcher(state, request);
}

Ref kernel_suggested_block(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"suggested_block", {"shared_bytes"}, 0};
  auto [shared_bytes] = parse(kSignature, args, nargs, kwnames);
  return py_int(kernel_state(self)->kernel->suggested_block(
      shared_bytes == nullptr ? 0 : to_int64(shared_bytes)));
}

Ref kernel_occupancy(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"occupancy", {"block", "shared_bytes"}, 1};
  auto [block, shared_bytes] = parse(kSignature, args, nargs, kwnames);
  LaunchRequest request;
  request.set_block(block);
  const auto& [x, y, z] = request.config.shape.block;
  return py_int(kernel_state(self)->kernel->occupancy(
      int64_t{x} * y * z, shared_bytes == nullptr ? 0 : to_int64(shared_bytes)));
}

// Returns a new kernel that is what `kernel` is now.
Ref copy_of(PyObject* kernel) {
  KernelObject::Content& content = kernel_content(kernel);
  KernelStatePtr state;
  Ref recipe;
  {
    const std::lock_guard lock(content.lock);
    state = content.state;
    recipe = Ref::borrow(content.recipe.get());
  }
  Ref copy = new_kernel(std::move(state));
  set_recipe(copy.get(), std::move(recipe));
  return copy;
}

// Makes `kernel` what `source` is, a kernel of this thread alone.
void assign(PyObject* kernel, PyObject* source) {
  KernelStatePtr state = kernel_state(source);
  Ref recipe = recipe_of(source);
  KernelObject::Content& content = kernel_content(kernel);
  const std::lock_guard lock(content.lock);
  std::swap(content.state, state);
  std::swap(content.recipe, recipe);
}

Ref kernel_with_signature(PyObject* self, PyObject* signature) {
  Ref made = new_kernel(make_kernel_state(kernel_state(self)->kernel, signature));
  set_recipe(made.get(), recipe_with_signature(self, signature));
  return made;
}

Ref kernel_set_recipe(PyObject* self, PyObject* recipe) {
  if (!PyTuple_Check(recipe) || PyTuple_Size(recipe) != 2 ||
      !PyTuple_Check(PyTuple_GetItem(recipe, 1)))
    throw TypeError("_set_recipe: expected a function and a tuple of its arguments");
  set_recipe(self, Ref::borrow(recipe));
  return none();
}

Ref kernel_reduce(PyObject* self, PyObject*) {
  if (Ref recipe = recipe_of(self)) return recipe;
  throw TypeError("cannot pickle " + kernel_state(self)->kernel->name() +
                  ": only a Module's get_function makes kernels that can be made again");
}

Ref kernel_prepare(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"prepare", {"arg_types"}, 1};
  auto [types] = parse(kSignature, args, nargs, kwnames);
  // The recipe holds the kernel before, because that of `self` would hold itself.
  const Ref before = copy_of(self);
  assign(self, kernel_with_signature(before.get(), types).get());
  return Ref::borrow(self);
}

// Implements prepared_call(grid, block, *args) and prepared_async_call(grid, block, stream, *args),
// as in PyCUDA.
template <bool has_stream>
Ref kernel_prepared_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames) {
  constexpr Py_ssize_t kFirst = has_stream ? 3 : 2;
  constexpr const char* kName = has_stream ? "prepared_async_call" : "prepared_call";
  if (nargs < kFirst)
    throw TypeError(std::string(kName) + ": expected grid, block" + (has_stream ? ", stream" : "") +
                    " and the kernel's arguments");
  LaunchRequest request;
  request.set_grid(args[0]);
  request.set_block(args[1]);
  if (has_stream) request.stream = args[2];
  const Py_ssize_t keywords = kwnames == nullptr ? 0 : PyTuple_Size(kwnames);
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(kwnames, k), "shared_size") != 0)
      throw TypeError(std::string(kName) + "() takes no keyword but shared_size");
    request.set_shared_bytes(args[nargs + k]);
  }
  const KernelStatePtr state = kernel_state(self);
  state->kernel->check(request.config);
  run_kernel(*state, request.config, request.stream, false, args + kFirst, nargs - kFirst);
  return none();
}

Ref kernel_from_handle(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"from_handle", {"handle", "device", "signature"}, 1};
  auto [handle, given, signature] = parse(kSignature, args, nargs, kwnames);
  const Device device = is_given(given) ? to_device(given) : default_cuda_device();
  const Ref number = checked(PyNumber_Long(handle));
  auto* kernel = reinterpret_cast<CUkernel>(PyLong_AsVoidPtr(number.get()));
  if (kernel == nullptr) {
    if (PyErr_Occurred()) throw PythonError();
    throw ValueError("from_handle: expected a CUkernel, got 0");
  }
  return new_kernel(make_kernel_state(std::make_shared<UserKernel>(device, kernel), signature));
}

// Callbacks of the module, which the recipe holds, may hold the kernel.
int kernel_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(kernel_content(object).recipe.get());
  return 0;
}

int kernel_clear(PyObject* object) {
  set_recipe(object, {});
  return 0;
}

void kernel_dealloc(PyObject* object) noexcept {
  PyObject_GC_UnTrack(object);
  kernel_content(object).~Content();
  free_collected(object);
}

Ref kernel_repr(PyObject* self) {
  const KernelStatePtr state = kernel_state(self);
  const UserKernel& kernel = *state->kernel;
  return checked(PyUnicode_FromFormat("<gpuarray.Kernel %s%s on %s>", kernel.name().c_str(),
                                      state->signature_text().c_str(),
                                      to_string(kernel.device()).c_str()));
}

PyMethodDef methods[] = {
    {"configure", method<kernel_configure>, METH_FASTCALL | METH_KEYWORDS,
     R"(configure($self, grid, block, *, shared_bytes=0, stream=None, cooperative=False, cluster=None, strided=False)
--

A launch to call with the arguments, as often as wanted. cooperative: all blocks run at a time,
for grid-wide barriers. cluster: blocks of a thread block cluster. strided: arrays of any
layout are passed by their address. ValueError beyond the device's limits.)"},
    {"for_size", method<kernel_for_size>, METH_FASTCALL | METH_KEYWORDS,
     R"(for_size($self, size, block=None, *, shared_bytes=0, stream=None, cooperative=False, cluster=None, strided=False)
--

A launch of at least `size` threads, an int or a tuple for 1 to 3 axes, in blocks of `block`,
by default those that occupy the device best. A size of 0 launches nothing.)"},
    {"suggested_block", method<kernel_suggested_block>, METH_FASTCALL | METH_KEYWORDS,
     R"(suggested_block($self, /, shared_bytes=0)
--

The threads of a block with which the device is occupied best.)"},
    {"occupancy", method<kernel_occupancy>, METH_FASTCALL | METH_KEYWORDS,
     R"(occupancy($self, /, block, shared_bytes=0)
--

How many blocks of that many threads a multiprocessor holds at a time.)"},
    {"with_signature", method<kernel_with_signature>, METH_O,
     R"(with_signature($self, signature, /)
--

The same kernel with the types of its parameters, which its arguments are checked against and
converted to: "const float* x, float a, int n", or a sequence of dtypes with None for pointers
and what is not known. ValueError unless it fits the compiled kernel.)"},
    {"prepare", method<kernel_prepare>, METH_FASTCALL | METH_KEYWORDS,
     R"(prepare($self, /, arg_types)
--

Sets the types of the parameters, as with_signature, or codes of the struct module ("PPi").
Returns the kernel, as PyCUDA does.)"},
    {"prepared_call", method<kernel_prepared_call<false>>, METH_FASTCALL | METH_KEYWORDS,
     R"(prepared_call($self, grid, block, /, *args, shared_size=0)
--

PyCUDA's spelling of kernel[grid, block](*args).)"},
    {"prepared_async_call", method<kernel_prepared_call<true>>, METH_FASTCALL | METH_KEYWORDS,
     R"(prepared_async_call($self, grid, block, stream, /, *args, shared_size=0)
--

PyCUDA's spelling of kernel[grid, block, stream](*args).)"},
    {"from_handle", method<kernel_from_handle>, METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
     R"(from_handle($type, /, handle, device=None, signature=None)
--

A kernel of another library by its CUkernel, an int or what int() takes, which that library
keeps. By default of the default CUDA device.)"},
    {"__reduce__", method<kernel_reduce>, METH_NOARGS, nullptr},
    {"_set_recipe", method<kernel_set_recipe>, METH_O,
     R"(_set_recipe($self, recipe, /)
--

Sets what __reduce__ returns.)"},
    {},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

Ref new_kernel(KernelStatePtr state) {
  auto* self = allocate_collected<KernelObject>(kernel_type);
  self->vectorcall = &vectorcall<kernel_call>;
  new (&self->content) KernelObject::Content{{}, std::move(state), {}};
  PyObject_GC_Track(self);
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void add_kernel_type(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(kKernelDoc)},
      {Py_tp_dealloc, reinterpret_cast<void*>(&kernel_dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(&kernel_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(&kernel_clear)},
      {Py_tp_repr, slot<kernel_repr>},
      {Py_tp_call, slot<call_with_tuple<kernel_call>>},
      {Py_mp_subscript, slot<kernel_subscript>},
      {Py_tp_methods, methods},
      {Py_tp_getset, kernel_attributes()},
      {Py_tp_members, members},
      {0, nullptr},
  };
  if (kernel_type == nullptr)
    kernel_type = make_type(module, "gpuarray.Kernel", sizeof(KernelObject), slots,
                            kHasVectorCall | Py_TPFLAGS_HAVE_GC);
  add_type(module, "Kernel", kernel_type);
}

}  // namespace gpuarray::py
