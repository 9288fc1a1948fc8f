// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <mutex>

#include "py/binding/gil_stand_in.hpp"
#include "py/binding/ref.hpp"
#include "py/binding/vectorcall.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

// The C structure of a gpuarray.Kernel object.
struct KernelObject {
  PyObject_HEAD VectorCall vectorcall;
  // The kernel and its parameters, which are immutable, but prepare() replaces them.
  struct Content {
    GilStandIn lock;  // guards the pointers
    KernelStatePtr state;
    Ref recipe;  // what __reduce__ returns; null if the kernel cannot be pickled
  } content;
};

inline KernelObject::Content& kernel_content(PyObject* kernel) {
  return reinterpret_cast<KernelObject*>(kernel)->content;
}

// Returns the kernel and its parameters.
inline KernelStatePtr kernel_state(PyObject* kernel) {
  KernelObject::Content& content = kernel_content(kernel);
  const std::lock_guard lock(content.lock);
  return content.state;
}

}  // namespace gpuarray::py
