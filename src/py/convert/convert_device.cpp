// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <atomic>

#include "core/device_name.hpp"
#include "core/error.hpp"
#include "core/made_first.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/binding/user_line.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/device_object.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/device.hpp"

namespace gpuarray::py {

PyTypeObject* device_type = nullptr;

namespace {

// Warns once that there is no CUDA device.
void warn_of_fallback() {
  static std::atomic<bool> warned = false;
  if (warned.exchange(true)) return;
  std::string text =
      "gpuarray: no CUDA device (" + cuda_absent_reason() +
      "); arrays are made on the cpu device. Set GPUARRAY_DEVICE=cpu to silence this.";
  if (warn_user_line(PyExc_RuntimeWarning, text)) return;
  warned = false;  // the warning was made an error, as the next one is to be
  throw PythonError();
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
  static constinit MadeFirst<Ref> known[kMaxCudaDevices + 1];  // one object a device, cpu's first
  const Ref& object = known[device.is_cpu() ? 0 : device.index + 1].get([device] {
    auto* made = allocate_object<DeviceObject>(device_type);
    made->device = device;
    return Ref::steal(reinterpret_cast<PyObject*>(made));
  });
  return Ref::borrow(object.get());
}

}  // namespace gpuarray::py
