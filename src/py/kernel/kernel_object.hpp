// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/vectorcall.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

// The C structure of a gpuarray.Kernel object.
struct KernelObject {
  PyObject_HEAD VectorCall vectorcall;
  KernelStatePtr state;
};

// Returns the kernel and its parameters. The state is immutable, but prepare() replaces it, so hold
// a copy of the pointer across calls to Python.
inline const KernelStatePtr& kernel_state(PyObject* kernel) {
  return reinterpret_cast<KernelObject*>(kernel)->state;
}

}  // namespace gpuarray::py
