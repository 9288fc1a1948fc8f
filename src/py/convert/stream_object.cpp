// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/stream_object.hpp"

#include <new>
#include <utility>

#include "py/binding/type_helpers.hpp"

namespace gpuarray::py {

PyTypeObject* stream_type = nullptr;

Ref new_stream(StreamPtr stream, PyObject* owner) {
  auto* self = allocate_object<StreamObject>(stream_type);
  Py_XINCREF(owner);
  self->owner = owner;
  new (&self->stream) StreamPtr(std::move(stream));
  self->is_lent = false;
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

}  // namespace gpuarray::py
