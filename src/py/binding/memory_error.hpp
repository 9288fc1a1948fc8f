// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>

#include "core/error.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A MemoryError raised by an allocator of Python's: memory resources above it may make room and try
// again. What reaches Python is the exception itself, which this keeps.
struct PythonMemoryError : OutOfMemory {
  explicit PythonMemoryError(Ref raised);
  std::shared_ptr<PyObject> exception;
};

}  // namespace gpuarray::py
