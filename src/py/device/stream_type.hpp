// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {

extern PyTypeObject* stream_type;

inline bool is_stream(PyObject* object) { return Py_TYPE(object) == stream_type; }
const StreamPtr& stream_of(PyObject* stream);
// `owner` (borrowed) is what a foreign handle keeps alive.
Ref new_stream(StreamPtr stream, PyObject* owner = nullptr);

}  // namespace gpuarray::py
