// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/launch.hpp"

namespace gpuarray {

// The base of all exceptions that are thrown below src/py, which maps each type to one Python
// exception: the builtin or the class of gpuarray.errors that has its name, unless a comment says
// otherwise.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ValueError : Error {
  using Error::Error;
};
// Thrown for shapes that do not broadcast or fit. It is a ValueError in Python, as in NumPy.
struct ShapeError : ValueError {
  using ValueError::ValueError;
};
// Thrown for writing to a read-only array. It is a ValueError in Python, as in NumPy.
struct ReadOnlyError : ValueError {
  using ValueError::ValueError;
};
struct TypeError : Error {
  using Error::Error;
};
struct IndexError : Error {
  using Error::Error;
};
// Thrown for a matrix that the operation is not defined for. It is numpy.linalg.LinAlgError in
// Python, which is a ValueError.
struct LinAlgError : ValueError {
  using ValueError::ValueError;
};
// Thrown for an axis that an array does not have. It is numpy.exceptions.AxisError in Python.
struct AxisError : Error {
  using Error::Error;
};
struct OverflowError : Error {
  using Error::Error;
};
struct BufferError : Error {
  using Error::Error;
};
// Thrown for a device that does not exist or cannot be used, and for operands on different devices.
struct DeviceError : Error {
  using Error::Error;
};
// Thrown for work that cannot be captured in a graph, such as waiting for the device.
struct CaptureError : Error {
  using Error::Error;
};
// Thrown for a kernel that the run-time compiler refuses; the message is the compiler's log.
struct CompileError : Error {
  using Error::Error;
};
// Thrown for device code that does not link. It is a CompileError in Python too.
struct LinkError : CompileError {
  using CompileError::CompileError;
};
// The state of the memory when an allocation failed, in bytes. A number that is not known is -1.
struct OutOfMemoryDetails {
  int64_t asked = -1;
  int64_t used = -1;
  int64_t cached = -1;
  int64_t free = -1;
  int64_t limit = -1;  // INT64_MAX if there is no limit
  int64_t largest_free_block = -1;
};
// Thrown when memory cannot be allocated. It is gpuarray.errors.OutOfMemoryError in Python.
struct OutOfMemory : Error {
  explicit OutOfMemory(const std::string& what, const OutOfMemoryDetails& found = {})
      : Error(what), details(found) {}
  OutOfMemoryDetails details;
};
// Thrown when a call of the driver fails. It keeps the driver's status and its name.
struct CudaError : Error {
  CudaError(const std::string& what, int status_code, std::string status_name,
            std::vector<Launch> suspects = {})
      : Error(what),
        status(status_code),
        name(std::move(status_name)),
        launches(std::move(suspects)) {}
  int status;
  std::string name;
  std::vector<Launch> launches;  // launches that may have lost the context, newest first
};

}  // namespace gpuarray
