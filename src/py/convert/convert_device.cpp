// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <vector>

#include "core/device_name.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/device_object.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray::py {

PyTypeObject* device_type = nullptr;

namespace {

// Warns once that there is no CUDA device.
void warn_of_fallback() {
  static bool warned = false;
  if (warned) return;
  std::string text =
      "gpuarray: no CUDA device (" + cuda_absent_reason() +
      "); arrays are made on the cpu device. Set GPUARRAY_DEVICE=cpu to silence this.";
  checked_status(PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1));
  warned = true;
}

}  // namespace

Device to_device(PyObject* object) {
  if (!is_given(object)) {
    bool fell_back = false;
    Device device = default_device(&fell_back);
    if (fell_back) warn_of_fallback();
    return device;
  }
  if (is_device(object)) return as_device(object);
  if (!PyUnicode_Check(object))
    throw TypeError("device: expected a Device, \"cpu\", \"cuda\" or \"cuda:N\", got " +
                    type_name(object));
  Device device = parse_device(to_text(object, "device"));
  require_device(device);
  return device;
}

Ref from_device(Device device) {
  static std::vector<PyObject*> cache;  // of the process: one object a device
  for (PyObject* known : cache)
    if (as_device(known) == device) return Ref::borrow(known);
  auto* made = allocate_object<DeviceObject>(device_type);
  made->device = device;
  cache.push_back(reinterpret_cast<PyObject*>(made));
  return Ref::borrow(cache.back());
}

}  // namespace gpuarray::py
