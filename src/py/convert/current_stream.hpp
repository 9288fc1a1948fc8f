// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// Before all else here: makes the variable that holds the streams of a context.
void set_up_current_streams();
// `with stream:` in the current Python context: of this thread, and of this task where there is
// one.
void enter_stream(PyObject* stream);
void exit_stream(PyObject* stream);

// A Stream, a CUstream as an int (1 legacy, 2 per-thread), or an object with __cuda_stream__; null
// and None are the current stream of `device`. DeviceError for a stream of another device.
StreamPtr to_stream(PyObject* object, Device device);
// The handle out of an int or __cuda_stream__'s (version, handle).
uintptr_t foreign_handle(PyObject* object);

// For the stream= of a function: makes it this thread's current stream of `device` for the scope;
// nothing for null and None.
class StreamScope {
 public:
  StreamScope(PyObject* stream, Device device);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  StreamPtr previous_;
};

}  // namespace gpuarray::py
