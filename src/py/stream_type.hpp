// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/ref.hpp"
#include "runtime/stream.hpp"

namespace gpuarray::py {

extern PyTypeObject* stream_type;

inline bool is_stream(PyObject* object) { return Py_TYPE(object) == stream_type; }
Ref new_stream(StreamPtr stream, PyObject* owner = nullptr);

// A Stream, a CUstream as an int (1 legacy, 2 per-thread), or an object with __cuda_stream__; null
// and None are the current stream of `device`. DeviceError for a stream of another device.
StreamPtr to_stream(PyObject* object, Device device);

// Makes `stream` this thread's current stream of its device for the scope.
class StreamScope {
 public:
  explicit StreamScope(StreamPtr stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  StreamPtr previous_;
};

}  // namespace gpuarray::py
