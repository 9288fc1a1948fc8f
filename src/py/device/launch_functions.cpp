// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/launch_tuple.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/device/parts.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/launch_mode.hpp"

namespace gpuarray::py {
namespace {

template <unsigned int bit>
Ref set_mode(PyObject*, PyObject* on) {
  set_launch_mode(bit, checked_status(PyObject_IsTrue(on)) == 1);
  return none();
}

template <unsigned int bit>
Ref get_mode(PyObject*, PyObject*) {
  return py_bool((launch_mode() & bit) != 0);
}

Ref pending(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"pending_launches", {"device"}, 0};
  auto [device] = parse(kSignature, args, nargs, kwnames);
  const bool all = !is_given(device);
  const Device which = all ? Device::cpu() : to_device(device);
  Ref list = checked(PyList_New(0));
  if (!all && which.is_cpu()) return list;
  Ref type = import_attribute("gpuarray.errors", "Launch");
  for (const Launch& launch : pending_launches(which, SIZE_MAX))
    checked_status(PyList_Append(
        list.get(),
        call_python(PyObject_CallObject, type.get(), launch_tuple(launch).get()).get()));
  return list;
}

}  // namespace

MethodRows launch_function_rows() {
  static const PyMethodDef rows[] = {
      {"set_launch_blocking", method<set_mode<kLaunchBlocks>>, METH_O,
       R"(set_launch_blocking($module, on, /)
--

Whether every launch is waited for, in all threads, so that one that fails raises where it
stands. Initially what GPUARRAY_LAUNCH_BLOCKING says, 0 or 1.)"},
      {"launch_blocking", method<get_mode<kLaunchBlocks>>, METH_NOARGS,
       R"(launch_blocking($module, /)
--

Whether every launch is waited for.)"},
      {"set_launch_lines", method<set_mode<kLaunchLines>>, METH_O,
       R"(set_launch_lines($module, on, /)
--

Whether every launch notes the Python line it comes from, for CudaError.launches. Initially
what GPUARRAY_LAUNCH_LINES says, 0 or 1. Launches that block always do.)"},
      {"launch_lines", method<get_mode<kLaunchLines>>, METH_NOARGS,
       R"(launch_lines($module, /)
--

Whether every launch notes its Python line.)"},
      {"pending_launches", method<pending>, METH_FASTCALL | METH_KEYWORDS,
       R"(pending_launches($module, device=None)
--

The launches not known to be done on the device, or on all, a list of Launch, newest first:
those after the last wait for their stream or for an event there, of the last 128. Does not
wait.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
