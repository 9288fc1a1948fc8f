// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// Makes the context variable that holds the streams entered by `with`. Must be called before the
// other functions here.
void set_up_current_streams();
// Implement `with stream:` in the current Python context, that is, for this thread and, within
// asyncio, for this task only. exit_stream throws ValueError unless the stream is the innermost one
// entered.
void enter_stream(PyObject* stream);
void exit_stream(PyObject* stream);

// Converts a Stream, a CUstream as an int (1 is the legacy, 2 the per-thread default stream), or an
// object with __cuda_stream__. Null and None mean the current stream of `device`. Throws
// DeviceError for a stream of another device, TypeError and ValueError for what is not a stream.
StreamPtr to_stream(PyObject* object, Device device);
// Reads the handle from an int or from the (version, handle) of __cuda_stream__. Throws TypeError
// or ValueError.
uintptr_t foreign_handle(PyObject* object);

// Makes the stream= argument of a function this thread's current stream of `device` for the scope.
// Null and None change nothing.
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
