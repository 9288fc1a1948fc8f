// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/memory/external_resource.hpp"

#include "py/binding/call_python.hpp"
#include "py/binding/gil_hold.hpp"
#include "py/binding/memory_error.hpp"
#include "py/binding/values.hpp"
#include "py/convert/stream_object.hpp"

namespace gpuarray::py {
namespace {

// Returns a Stream with the same handle that does not keep ours alive. Asking for its handle runs
// nothing that waits: each allocation would end the group of operations that it is for.
Ref lend_stream(const Stream& stream) {
  Ref lent = new_stream(std::make_shared<Stream>(stream.device(), stream.handle(), false));
  reinterpret_cast<StreamObject*>(lent.get())->is_lent = true;
  return lent;
}

// Takes the current Python error, with its traceback, as one object.
Ref take_raised() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return Ref::steal(value);
}

void require_method(PyObject* allocator, const char* name) {
  if (PyObject_HasAttrString(allocator, name)) return;
  throw TypeError(
      "ExternalResource: expected an object with allocate(nbytes, stream) and deallocate(ptr, "
      "nbytes, stream), got " +
      type_name(allocator) + ", which has no " + name);
}

}  // namespace

ExternalResource::ExternalResource(PyObject* allocator, Device device)
    : allocator_(allocator), device_(device) {
  require_method(allocator, "allocate");
  require_method(allocator, "deallocate");
  Py_INCREF(allocator);
}

ExternalResource::~ExternalResource() { drop_reference(allocator_); }

void* ExternalResource::pointer_of(PyObject* result) {
  const bool is_number = PyIndex_Check(result) != 0;
  Ref number = is_number ? Ref::borrow(result) : checked(PyObject_GetAttrString(result, "ptr"));
  Ref index = checked(PyNumber_Index(number.get()));
  void* data = PyLong_AsVoidPtr(index.get());
  if (data == nullptr && PyErr_Occurred()) throw PythonError();
  if (data == nullptr) throw ValueError(type_name(allocator_) + ".allocate: got a null pointer");
  if (is_number) return data;
  const LockGuard lock(mutex_);
  owners_[data] = result;
  Py_INCREF(result);
  return data;
}

void* ExternalResource::allocate(int64_t nbytes, const Stream& stream) {
  GilHold gil;
  Ref lent = lend_stream(stream);
  Ref result = try_python(PyObject_CallMethod, allocator_, "allocate", "LO",
                          static_cast<long long>(nbytes), lent.get());
  if (result) {
    void* data = pointer_of(result.get());
    used_ += nbytes;
    return data;
  }
  if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw PythonMemoryError(take_raised());
  throw PythonError();
}

Ref ExternalResource::take_owner(void* data) {
  const LockGuard lock(mutex_);
  auto found = owners_.find(data);
  if (found == owners_.end()) return {};
  Ref owner = Ref::steal(found->second);
  owners_.erase(found);
  return owner;
}

void ExternalResource::deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept {
  used_ -= nbytes;
  if (!Py_IsInitialized()) return;
  GilHold gil;
  SavedError saved;
  try {
    Ref owner = take_owner(data);
    Ref pointer = checked(PyLong_FromVoidPtr(data));
    Ref lent = lend_stream(stream);
    call_python(PyObject_CallMethod, allocator_, "deallocate", "OLO", pointer.get(),
                static_cast<long long>(nbytes), lent.get());
  } catch (...) {  // a deallocation cannot fail; Python prints the error
    if (PyErr_Occurred()) PyErr_WriteUnraisable(allocator_);
  }
}

}  // namespace gpuarray::py
