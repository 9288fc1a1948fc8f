// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// The Device type, which lives for the process. Made when the module is executed (device_type.cpp).
extern PyTypeObject* device_type;

// The C structure of a gpuarray.Device object.
struct DeviceObject {
  PyObject_HEAD Device device;
};

inline bool is_device(PyObject* object) { return Py_TYPE(object) == device_type; }
inline Device as_device(PyObject* object) {
  return reinterpret_cast<DeviceObject*>(object)->device;
}

}  // namespace gpuarray::py
