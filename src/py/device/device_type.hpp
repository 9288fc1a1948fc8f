// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/device.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

extern PyTypeObject* device_type;

struct DeviceObject {
  PyObject_HEAD Device device;
};

inline bool is_device(PyObject* object) { return Py_TYPE(object) == device_type; }
inline Device as_device(PyObject* object) {
  return reinterpret_cast<DeviceObject*>(object)->device;
}

}  // namespace gpuarray::py
