// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/launch/user_library.hpp"

namespace gpuarray::py {

const UserLibraryPtr& library_of(PyObject* library);  // a _Library

}  // namespace gpuarray::py
