// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "py/kernel/kernel_parameters.hpp"

namespace gpuarray::py {

const KernelStatePtr& kernel_state(PyObject* kernel);
Ref new_kernel(KernelStatePtr state);

}  // namespace gpuarray::py
