// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/convert.hpp"
#include "py/device/parts.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"

// The functions of _core that gpuarray/driver.py calls.
namespace gpuarray::py {
namespace {

// Returns the number of a CUDA device. Throws DeviceError for cpu.
int cuda_index(PyObject* object) {
  const Device device = to_device(object);
  if (device.is_cpu()) throw DeviceError("expected a CUDA device, got cpu");
  return device.index;
}

Ref context(PyObject*, PyObject* device) {
  return py_uint(reinterpret_cast<uintptr_t>(primary_context(cuda_index(device)).handle));
}

Ref set_context(PyObject*, PyObject* handle) {
  CUcontext previous = nullptr;
  GPUARRAY_CHECK(cuCtxGetCurrent(&previous));
  GPUARRAY_CHECK(cuCtxSetCurrent(reinterpret_cast<CUcontext>(to_int64(handle))));
  return py_uint(reinterpret_cast<uintptr_t>(previous));
}

CUdevice handle_of(PyObject* device) {
  const int index = cuda_index(device);  // refuses cpu also where there is no driver
  CUdevice handle = 0;
  GPUARRAY_CHECK(cuDeviceGet(&handle, index));
  return handle;
}

Ref device_handle(PyObject*, PyObject* device) { return py_int(handle_of(device)); }

Ref device_attribute(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"_device_attribute", {"device", "number"}};
  const auto [device, number] = parse(kSignature, args, nargs, kwnames);
  const auto name = static_cast<CUdevice_attribute>(to_int64(number));
  const CUdevice handle = handle_of(device);
  int value = 0;
  GPUARRAY_CHECK(cuDeviceGetAttribute(&value, name, handle));
  return py_int(value);
}

Ref profile(PyObject*, PyObject* records) {
  const Device device = to_device(nullptr);
  if (device.is_cpu()) throw DeviceError("expected a CUDA device as the default one, got cpu");
  DeviceGuard on(device);
  if (checked_status(PyObject_IsTrue(records)) != 0)
    GPUARRAY_CHECK(cuProfilerStart());
  else
    GPUARRAY_CHECK(cuProfilerStop());
  return none();
}

Ref driver_version(PyObject*, PyObject*) { return py_int(driver_state().version); }

}  // namespace

MethodRows driver_function_rows() {
  static const PyMethodDef rows[] = {
      {"_set_context", method<set_context>, METH_O,
       R"(_set_context(context, /)
--

Makes a CUcontext, or none for 0, current in this thread; returns the one before.)"},
      {"_context", method<context>, METH_O,
       R"(_context(device, /)
--

The CUcontext of a CUDA device, an int.)"},
      {"_device_handle", method<device_handle>, METH_O,
       R"(_device_handle(device, /)
--

The CUdevice of a CUDA device, an int.)"},
      {"_device_attribute", method<device_attribute>, METH_FASTCALL | METH_KEYWORDS,
       R"(_device_attribute($module, device, number)
--

An attribute of a CUDA device by the driver's number for it, an int. CudaError for others.)"},
      {"_profile", method<profile>, METH_O,
       R"(_profile(records, /)
--

Tells profilers to record from here on, or not to. DeviceError if the default device is cpu.)"},
      {"_driver_version", method<driver_version>, METH_NOARGS,
       R"(_driver_version()
--

The CUDA version that the driver supports (13000 is 13.0), 0 without a driver.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
