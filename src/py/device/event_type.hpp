// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "py/binding/ref.hpp"
#include "runtime/stream/event.hpp"

namespace gpuarray::py {

extern PyTypeObject* event_type;

inline bool is_event(PyObject* object) { return Py_TYPE(object) == event_type; }
// Returns the event of an object for which is_event() is true.
const EventPtr& event_of(PyObject* event);
// Returns a new gpuarray.Event.
Ref new_event(EventPtr event);

}  // namespace gpuarray::py
