// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Swaps of views: a[i], a[j] = a[j], a[i], of which the shuffles of Python and NumPy are made. The
// first assignment overwrites the elements that the second one's value views, so they are kept.
#pragma once

#include "py/binding/ref.hpp"
#include "py/convert/array_object.hpp"

namespace gpuarray::py {

// Notes a view that an index of this thread has made.
void note_view(PyObject* view);
// Forgets a noted view that is to be destroyed.
void forget_view(PyObject* view) noexcept;
// Prepares the assignment of a value to elements, after all checks: keeps these elements if the
// value is one noted view and they are another. Returns what to assign: the value, or, if it has no
// name and its elements were overwritten so, what they were.
Ref value_to_assign(const Array& target, PyObject* value);

}  // namespace gpuarray::py
