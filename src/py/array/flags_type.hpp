// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// The object of GPUArray.flags, which follows the array.
Ref new_flags(PyObject* array);

}  // namespace gpuarray::py
