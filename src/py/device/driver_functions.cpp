// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/slot.hpp"
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

Ref device_handle(PyObject*, PyObject* device) {
  CUdevice handle = 0;
  GPUARRAY_CHECK(cuDeviceGet(&handle, cuda_index(device)));
  return py_int(handle);
}

Ref driver_version(PyObject*, PyObject*) { return py_int(driver_state().version); }

}  // namespace

MethodRows driver_function_rows() {
  static const PyMethodDef rows[] = {
      {"_context", method<context>, METH_O,
       R"(_context(device, /)
--

The CUcontext of a CUDA device, an int.)"},
      {"_device_handle", method<device_handle>, METH_O,
       R"(_device_handle(device, /)
--

The CUdevice of a CUDA device, an int.)"},
      {"_driver_version", method<driver_version>, METH_NOARGS,
       R"(_driver_version()
--

The CUDA version that the driver supports (13000 is 13.0), 0 without a driver.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
