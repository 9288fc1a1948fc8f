// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// Lives for the process; made when the module is executed (stream_type.cpp).
extern PyTypeObject* stream_type;

// A gpuarray.Stream.
struct StreamObject {
  PyObject_HEAD PyObject* owner;  // of a foreign handle; null for our own
  StreamPtr stream;
};

inline bool is_stream(PyObject* object) { return Py_TYPE(object) == stream_type; }
inline const StreamPtr& stream_of(PyObject* stream) {
  return reinterpret_cast<StreamObject*>(stream)->stream;
}
// A new gpuarray.Stream. `owner` (borrowed) is what a foreign handle keeps alive.
Ref new_stream(StreamPtr stream, PyObject* owner = nullptr);

}  // namespace gpuarray::py
