// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>

#include "core/error.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A MemoryError that a Python allocator raised. Being an OutOfMemory, it lets memory resources make
// room and try again. If it reaches Python, the original exception is raised.
struct PythonMemoryError : OutOfMemory {
  explicit PythonMemoryError(Ref raised);
  std::shared_ptr<PyObject> exception;  // the one that was raised
};

}  // namespace gpuarray::py
