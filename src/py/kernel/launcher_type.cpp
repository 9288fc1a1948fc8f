// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstddef>
#include <new>

#include "core/error.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/vectorcall.hpp"
#include "py/convert/convert.hpp"
#include "py/kernel/kernel_config.hpp"
#include "py/kernel/kernel_type.hpp"
#include "py/kernel/parts.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* launcher_type = nullptr;

struct LauncherObject {
  PyObject_HEAD VectorCall vectorcall;
  PyObject* stream;  // null for the current one
  KernelStatePtr state;
  LaunchConfig config;
  bool strided;
};

constexpr const char* kLauncherDoc =
    R"(A kernel with its grid, block, stream and shared bytes, checked: call it with the arguments, as
often as wanted. Made by kernel[grid, block], kernel.configure and kernel.for_size.)";

LauncherObject& launcher(PyObject* object) { return *reinterpret_cast<LauncherObject*>(object); }

Ref launcher_call(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const LauncherObject& launch = launcher(self);
  if (kwnames != nullptr && PyTuple_Size(kwnames) > 0)
    throw TypeError(launch.state->kernel->name() +
                    ": a configured launch takes the kernel's arguments, by position only");
  run_kernel(*launch.state, launch.config, launch.stream, launch.strided, args, nargs);
  return none();
}

void launcher_dealloc(PyObject* object) noexcept {
  LauncherObject& self = launcher(object);
  Py_XDECREF(self.stream);
  self.state.~KernelStatePtr();
  free_object(object);
}

Ref dims_tuple(const uint32_t (&dims)[3]) {
  return checked(Py_BuildValue("(III)", dims[0], dims[1], dims[2]));
}

Ref launcher_repr(PyObject* self) {
  const LauncherObject& launch = launcher(self);
  const auto& [grid, block, shared_bytes] = launch.config.shape;
  return checked(PyUnicode_FromFormat("<gpuarray launch %s<<<(%u, %u, %u), (%u, %u, %u), %u>>>>",
                                      launch.state->kernel->name().c_str(), grid[0], grid[1],
                                      grid[2], block[0], block[1], block[2], shared_bytes));
}

Ref get_kernel(PyObject* self, void*) { return new_kernel(launcher(self).state); }
Ref get_grid(PyObject* self, void*) { return dims_tuple(launcher(self).config.shape.grid); }
Ref get_block(PyObject* self, void*) { return dims_tuple(launcher(self).config.shape.block); }
Ref get_shared_bytes(PyObject* self, void*) {
  return py_int(launcher(self).config.shape.shared_bytes);
}
Ref get_stream(PyObject* self, void*) {
  PyObject* stream = launcher(self).stream;
  return stream == nullptr ? none() : Ref::borrow(stream);
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_kernel>("kernel", "The Kernel that it launches."),
    attribute<get_grid>("grid", "Blocks along x, y and z; (0, 0, 0) launches nothing."),
    attribute<get_block>("block", "Threads of a block along x, y and z."),
    attribute<get_shared_bytes>("shared_bytes", "Bytes of dynamic shared memory of a block."),
    attribute<get_stream>("stream", "The stream that was given, None for the current one."),
    {},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kLauncherDoc)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&launcher_dealloc)},
    {Py_tp_repr, slot<launcher_repr>},
    {Py_tp_call, slot<call_with_tuple<launcher_call>>},
    {Py_tp_getset, attributes},
    {Py_tp_members, members},
    {0, nullptr},
};

}  // namespace

Ref new_launcher(KernelStatePtr state, const LaunchRequest& request) {
  auto* self = allocate_object<LauncherObject>(launcher_type);
  self->vectorcall = &vectorcall<launcher_call>;
  self->stream = request.stream == Py_None ? nullptr : request.stream;
  Py_XINCREF(self->stream);
  new (&self->state) KernelStatePtr(std::move(state));
  self->config = request.config;
  self->strided = request.strided;
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void add_launcher_type(PyObject* module) {
  if (launcher_type == nullptr)
    launcher_type =
        make_type(module, "gpuarray._Launcher", sizeof(LauncherObject), slots, kHasVectorCall);
  add_type(module, "_Launcher", launcher_type);
}

}  // namespace gpuarray::py
