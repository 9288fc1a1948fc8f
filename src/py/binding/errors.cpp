// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <new>

#include "core/error.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil_hold.hpp"
#include "py/binding/launch_tuple.hpp"
#include "py/binding/memory_error.hpp"
#include "py/binding/parts.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/user_line.hpp"
#include "py/binding/values.hpp"

namespace gpuarray::py {

namespace {

// Exceptions that are not built into CPython. They live for the process.
PyObject* device_error = nullptr;
PyObject* out_of_memory_error = nullptr;
PyObject* compile_error = nullptr;
PyObject* link_error = nullptr;
PyObject* capture_error = nullptr;
PyObject* cuda_error = nullptr;
PyObject* axis_error = nullptr;
PyObject* lin_alg_error = nullptr;

void raise(PyObject* type, const std::exception& error) {
  PyErr_SetObject(type, py_string(error.what()).get());
}

// The message begins with the line of the user's Python code that needs the kernel.
void raise_compile_error(PyObject* type, const CompileError& error) {
  const UserLine at = user_line();
  const std::string line = at.line == 0 ? "" : at.file + ':' + std::to_string(at.line) + ": ";
  PyErr_SetObject(type, py_string(line + error.what()).get());
}

// Returns a number of bytes as an int; None if it is not known.
Ref known_bytes(int64_t nbytes) {
  return nbytes < 0 || nbytes == INT64_MAX ? none() : py_int(nbytes);
}

void raise_out_of_memory(const OutOfMemory& error) {
  const OutOfMemoryDetails& found = error.details;
  Ref asked = known_bytes(found.asked), used = known_bytes(found.used),
      cached = known_bytes(found.cached), free = known_bytes(found.free),
      limit = known_bytes(found.limit), largest = known_bytes(found.largest_free_block);
  Ref value = try_python(PyObject_CallFunction, out_of_memory_error, "OOOOOOO",
                         py_string(error.what()).get(), asked.get(), used.get(), cached.get(),
                         free.get(), limit.get(), largest.get());
  if (value) PyErr_SetObject(out_of_memory_error, value.get());
}

void raise_cuda(const CudaError& error) {
  Ref launches = checked(PyList_New(0));
  for (const Launch& launch : error.launches)
    checked_status(PyList_Append(launches.get(), launch_tuple(launch).get()));
  Ref value = call_python(PyObject_CallFunction, cuda_error, "OisO", py_string(error.what()).get(),
                          error.status, error.name.c_str(), launches.get());
  PyErr_SetObject(cuda_error, value.get());
}

// Rethrows the exception being handled, and sets the Python error for those of core/error.hpp.
void raise_error() {
  try {
    throw;
  } catch (const AxisError& error) {
    raise(axis_error, error);
  } catch (const LinAlgError& error) {
    raise(lin_alg_error, error);
  } catch (const ValueError& error) {
    raise(PyExc_ValueError, error);
  } catch (const TypeError& error) {
    raise(PyExc_TypeError, error);
  } catch (const IndexError& error) {
    raise(PyExc_IndexError, error);
  } catch (const OverflowError& error) {
    raise(PyExc_OverflowError, error);
  } catch (const BufferError& error) {
    raise(PyExc_BufferError, error);
  } catch (const DeviceError& error) {
    raise(device_error, error);
  } catch (const CaptureError& error) {
    raise(capture_error, error);
  } catch (const LinkError& error) {
    raise_compile_error(link_error, error);
  } catch (const CompileError& error) {
    raise_compile_error(compile_error, error);
  } catch (const PythonMemoryError& error) {
    PyObject* raised = error.exception.get();
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised)), raised);
  } catch (const OutOfMemory& error) {
    raise_out_of_memory(error);
  } catch (const CudaError& error) {
    raise_cuda(error);
  } catch (const std::exception& error) {
    raise(PyExc_RuntimeError, error);
  }
}

}  // namespace

PythonMemoryError::PythonMemoryError(Ref raised)
    : OutOfMemory("the allocator raised MemoryError"),
      exception(raised.release(), drop_reference) {}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception&) {
    try {
      raise_error();
    } catch (...) {  // Making the Python exception failed.
      if (PyErr_Occurred() == nullptr) PyErr_NoMemory();
    }
  } catch (...) {  // the end of the thread (or_pause_forever()), within Python's C API
    pause_forever();
  }
}

void import_errors() {
  device_error = import_attribute("gpuarray.errors", "DeviceError").release();
  out_of_memory_error = import_attribute("gpuarray.errors", "OutOfMemoryError").release();
  capture_error = import_attribute("gpuarray.errors", "CaptureError").release();
  compile_error = import_attribute("gpuarray.errors", "CompileError").release();
  link_error = import_attribute("gpuarray.errors", "LinkError").release();
  cuda_error = import_attribute("gpuarray.errors", "CudaError").release();
  axis_error = import_attribute("numpy.exceptions", "AxisError").release();
  lin_alg_error = import_attribute("numpy.linalg", "LinAlgError").release();
}

}  // namespace gpuarray::py
