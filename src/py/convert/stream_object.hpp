// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

// The Stream type, which lives for the process. Made when the module is executed (stream_type.cpp).
extern PyTypeObject* stream_type;

// The C structure of a gpuarray.Stream object.
struct StreamObject {
  PyObject_HEAD PyObject* owner;  // owned: keeps a foreign handle alive; null for our own
  StreamPtr stream;
  bool is_lent;  // to an allocator, which queues no work of its own
};

inline bool is_stream(PyObject* object) { return Py_TYPE(object) == stream_type; }
inline const StreamPtr& stream_of(PyObject* stream) {
  return reinterpret_cast<StreamObject*>(stream)->stream;
}
// Returns a new gpuarray.Stream. `owner` (borrowed) is the object that keeps a foreign handle
// alive.
Ref new_stream(StreamPtr stream, PyObject* owner = nullptr);

}  // namespace gpuarray::py
