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

// Base of everything thrown below `py`; `py` maps each type to one Python exception.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ValueError : Error {
  using Error::Error;
};
// Shapes that do not broadcast or fit; a ValueError in Python, as in NumPy.
struct ShapeError : ValueError {
  using ValueError::ValueError;
};
// Writing to a read-only array; a ValueError in Python, as in NumPy.
struct ReadOnlyError : ValueError {
  using ValueError::ValueError;
};
struct TypeError : Error {
  using Error::Error;
};
struct IndexError : Error {
  using Error::Error;
};
// numpy.exceptions.AxisError in Python.
struct AxisError : Error {
  using Error::Error;
};
struct OverflowError : Error {
  using Error::Error;
};
struct BufferError : Error {
  using Error::Error;
};
// A device that does not exist or cannot be used, or operands on different devices.
struct DeviceError : Error {
  using Error::Error;
};
// What cannot be recorded for a graph, as waiting for the device.
struct CaptureError : Error {
  using Error::Error;
};
// A kernel that the run-time compiler refuses; says why.
struct CompileError : Error {
  using Error::Error;
};
// Device code that does not link; a CompileError in Python too.
struct LinkError : CompileError {
  using CompileError::CompileError;
};
// Bytes; -1 where it is not known.
struct OutOfMemoryDetails {
  int64_t asked = -1;
  int64_t used = -1;
  int64_t cached = -1;
  int64_t free = -1;
  int64_t limit = -1;  // INT64_MAX for none
  int64_t largest_free_block = -1;
};
struct OutOfMemory : Error {
  explicit OutOfMemory(const std::string& what, const OutOfMemoryDetails& found = {})
      : Error(what), details(found) {}
  OutOfMemoryDetails details;
};
// A driver call that failed; keeps the driver's status and its name.
struct CudaError : Error {
  CudaError(const std::string& what, int status_code, std::string status_name,
            std::vector<Launch> suspects = {})
      : Error(what),
        status(status_code),
        name(std::move(status_name)),
        launches(std::move(suspects)) {}
  int status;
  std::string name;
  std::vector<Launch> launches;  // that may have made the context unusable, newest first
};

}  // namespace gpuarray
