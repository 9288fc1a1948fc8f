// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Makes the object of GPUArray.flags. It holds the array and shows its current flags.
Ref new_flags(PyObject* array);

}  // namespace gpuarray::py
