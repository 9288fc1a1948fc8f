// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/device/parts.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/driver.hpp"

// For gpuarray/driver.py.
namespace gpuarray::py {
namespace {

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
      {"context_", method<context>, METH_O,
       "context_(device, /)\n--\n\nThe CUcontext of a CUDA device, an int."},
      {"device_handle_", method<device_handle>, METH_O,
       "device_handle_(device, /)\n--\n\nThe CUdevice of a CUDA device, an int."},
      {"driver_version_", method<driver_version>, METH_NOARGS,
       "driver_version_()\n--\n\n"
       "The CUDA version that the driver supports (13000 is 13.0), 0 without a driver."},
  };
  return rows;
}

}  // namespace gpuarray::py
