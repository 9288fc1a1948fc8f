// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Lives for the process; made when the module is executed (device_type.cpp).
extern PyTypeObject* device_type;

// A gpuarray.Device.
struct DeviceObject {
  PyObject_HEAD Device device;
};

inline bool is_device(PyObject* object) { return Py_TYPE(object) == device_type; }
inline Device as_device(PyObject* object) {
  return reinterpret_cast<DeviceObject*>(object)->device;
}

}  // namespace gpuarray::py
