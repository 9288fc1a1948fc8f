// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/launch/library.hpp"

namespace gpuarray::py {

const LibraryPtr& library_of(PyObject* library);  // a _Library

}  // namespace gpuarray::py
