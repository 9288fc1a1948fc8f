// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Swaps of elements and rows: a[i], a[j] = a[j], a[i], of which the shuffles of Python and NumPy
// are made. The first assignment overwrites the elements that the second one's value views, so they
// are kept.
#pragma once

#include "py/binding/ref.hpp"
#include "py/convert/array_object.hpp"

namespace gpuarray::py {

// Notes a view that an integer index of this thread has made.
void note_view(PyObject* view);
// Forgets a noted view that is to be destroyed, on any thread.
void forget_view(PyObject* view) noexcept;
// Prepares an assignment, after all checks: if the value is a noted view without a name, and the
// target what another noted view shows, keeps the target's elements for that one. Returns what to
// assign: the value, or, if it has no name and its elements were overwritten so, what they were.
Ref value_to_assign(const Array& target, PyObject* value);

}  // namespace gpuarray::py
