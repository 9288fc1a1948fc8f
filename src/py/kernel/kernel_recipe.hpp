// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"

// The recipe of a gpuarray.Kernel: what its __reduce__ returns.
namespace gpuarray::py {

// Returns the recipe; null if the kernel cannot be pickled.
Ref recipe_of(PyObject* kernel);
void set_recipe(PyObject* kernel, Ref recipe);
// Returns the recipe of a kernel that is `kernel` with a signature; null if that has none. It holds
// the kernel of the module, however many signatures followed. Throws PythonError.
Ref recipe_with_signature(PyObject* kernel, PyObject* signature);

}  // namespace gpuarray::py
