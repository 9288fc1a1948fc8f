// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/kernel/kernel_config.hpp"

#include <string>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/kernel/kernel_arguments.hpp"

namespace gpuarray::py {
namespace {

// Converts one extent of a grid, block or cluster. Throws ValueError unless it is from 1 to 2**32 -
// 1.
uint32_t to_extent(PyObject* object, const char* what) {
  const int64_t value = PyLong_CheckExact(object) ? PyLong_AsLongLong(object) : to_int64(object);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  if (value < 1 || value > UINT32_MAX)
    throw ValueError(std::string(what) + ": expected at least 1 along each axis" +
                     (value < 1 ? "" : " and less than 2**32") + ", got " + std::to_string(value));
  return static_cast<uint32_t>(value);
}

// Converts an int or a sequence of 1 to 3 ints. Throws TypeError and ValueError.
void set_dims(uint32_t (&dims)[3], PyObject* object, const char* what) {
  dims[1] = dims[2] = 1;
  if (PyLong_CheckExact(object)) {
    dims[0] = to_extent(object, what);
    return;
  }
  if (PyTuple_Check(object) == 0 && PyList_Check(object) == 0) {
    if (PyIndex_Check(object) == 0)
      throw TypeError(std::string(what) + ": expected an int or a tuple of 1 to 3, got " +
                      type_name(object));
    dims[0] = to_extent(object, what);
    return;
  }
  const Py_ssize_t count = PySequence_Size(object);
  if (count < 1 || count > 3)
    throw ValueError(std::string(what) + ": expected 1 to 3 extents, got " + std::to_string(count));
  for (Py_ssize_t axis = 0; axis < count; ++axis)
    dims[axis] = to_extent(checked(PySequence_GetItem(object, axis)).get(), what);
}

bool is_named(PyObject* name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

bool is_true(PyObject* object) { return checked_status(PyObject_IsTrue(object)) == 1; }

}  // namespace

void LaunchRequest::set_grid(PyObject* object) {
  set_dims(config.shape.grid, object, "grid");
  has_grid = true;
}

void LaunchRequest::set_block(PyObject* object) {
  set_dims(config.shape.block, object, "block");
  has_block = true;
}

void LaunchRequest::set_shared_bytes(PyObject* object) {
  const int64_t nbytes = to_int64(object);
  if (nbytes < 0 || nbytes > INT32_MAX)
    throw ValueError("shared_bytes: expected 0 to 2**31 - 1, got " + std::to_string(nbytes));
  config.shape.shared_bytes = static_cast<uint32_t>(nbytes);
}

void LaunchRequest::set_keyword(const char* function, PyObject* name, PyObject* value) {
  if (is_named(name, "grid")) return set_grid(value);
  if (is_named(name, "block")) return set_block(value);
  if (is_named(name, "stream")) {
    stream = value;
  } else if (is_named(name, "shared_bytes") || is_named(name, "shared") ||
             is_named(name, "shared_mem")) {
    set_shared_bytes(value);
  } else if (is_named(name, "cooperative")) {
    config.cooperative = is_true(value);
  } else if (is_named(name, "strided")) {
    strided = is_true(value);
  } else if (is_named(name, "cluster")) {
    if (value != Py_None) set_dims(config.cluster, value, "cluster");
  } else {
    throw TypeError(std::string(function) + "() got an unexpected keyword argument '" +
                    to_text(name, function) + "'");
  }
}

void LaunchRequest::set_keywords(const char* function, PyObject* kwnames, PyObject* const* values) {
  const Py_ssize_t count = kwnames == nullptr ? 0 : PyTuple_Size(kwnames);
  for (Py_ssize_t k = 0; k < count; ++k)
    set_keyword(function, PyTuple_GetItem(kwnames, k), values[k]);
}

void LaunchRequest::require_block(const char* function) const {
  if (!has_block)
    throw TypeError(std::string(function) +
                    ": expected grid= and block=, got no block; kernel.for_size(n) chooses them "
                    "for n threads");
}

void run_kernel(const KernelState& state, const LaunchConfig& config, PyObject* stream,
                bool strided, PyObject* const* args, Py_ssize_t count) {
  KernelArguments arguments(state, strided);
  arguments.take(args, count);
  if (config.shape.grid[0] == 0) return;
  const Device device = state.kernel->device();
  if (!is_given(stream))
    arguments.launch(config, current_stream(device));
  else
    arguments.launch(config, to_stream(stream, device));
}

}  // namespace gpuarray::py
