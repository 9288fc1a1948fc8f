// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/vectorcall.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

// A gpuarray.Kernel.
struct KernelObject {
  PyObject_HEAD VectorCall vectorcall;
  KernelStatePtr state;
};

// The state of a Kernel, which prepare() replaces.
inline const KernelStatePtr& kernel_state(PyObject* kernel) {
  return reinterpret_cast<KernelObject*>(kernel)->state;
}

}  // namespace gpuarray::py
