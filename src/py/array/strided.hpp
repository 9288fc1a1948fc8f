// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/dims.hpp"
#include "py/binding/ref.hpp"

// Strides that come from Python.
namespace gpuarray::py {

// A sequence of `ndim` strides in bytes, as elements. ValueError naming `what` for another length
// and for a stride that is no multiple of the itemsize.
Strides to_strides(const std::string& what, PyObject* object, int ndim, int itemsize);

// ValueError naming `what` unless all elements lie in a memory of `nbytes`, the first one `offset`
// bytes from its start.
void require_inside(const std::string& what, const Shape& shape, const Strides& strides,
                    int itemsize, int64_t offset, int64_t nbytes);

}  // namespace gpuarray::py
