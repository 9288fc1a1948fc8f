// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/interchange.hpp"
#include "py/parts.hpp"
#include "py/slot.hpp"
#include "runtime/access.hpp"
#include "runtime/main_stream.hpp"

// The CUDA array interface, version 3: export. Import is in cuda_array_import.cpp.
namespace gpuarray::py {
namespace {

[[noreturn]] void no_attribute(const std::string& why) {
  PyErr_SetString(PyExc_AttributeError, ("__cuda_array_interface__: " + why).c_str());
  throw PythonError();
}

// Strides in bytes, None where they are C-contiguous.
Ref byte_strides(const Array& array) {
  if (array.is_c_contiguous()) return none();
  Strides strides = array.strides();
  for (int64_t& stride : strides) stride *= array.itemsize();
  return from_dims(strides);
}

// A stream that covers all pending work and lives as long as the array: not another library's, nor
// another thread's default stream, unless work goes there now.
StreamPtr covering_stream(const Array& array) {
  StreamPtr stream = pending_stream(*array.buffer());
  if (!stream->is_borrowed() || stream == current_stream(array.device())) return stream;
  const StreamPtr& main = main_stream(array.device());
  main->wait_for_uses(*stream);
  return main;
}

Ref descr(DType dtype) {
  Ref field = checked(Py_BuildValue("(ss)", "", info(dtype).typestr));
  Ref fields = checked(PyList_New(0));
  checked_status(PyList_Append(fields.get(), field.get()));
  return fields;
}

Ref address(const Array& array) {
  const auto data = array.size() == 0 ? 0 : reinterpret_cast<uintptr_t>(array.data());
  return py_uint(data);
}

void set_item(const Ref& dict, const char* key, const Ref& value) {
  checked_status(PyDict_SetItemString(dict.get(), key, value.get()));
}

Ref get_interface(PyObject* self, void*) {
  const Array& array = as_array(self);
  if (array.device().is_cpu()) no_attribute("the array is on cpu");
  if (array.dtype() == DType::bfloat16)
    no_attribute("the protocol has no type string for bfloat16; use DLPack");
  Ref data = checked(PyTuple_Pack(2, address(array).get(), py_bool(!array.writable()).get()));
  Ref interface = checked(PyDict_New());
  set_item(interface, "shape", from_dims(array.shape()));
  set_item(interface, "typestr", py_string(info(array.dtype()).typestr));
  set_item(interface, "data", data);
  set_item(interface, "strides", byte_strides(array));
  set_item(interface, "version", py_int(3));
  set_item(interface, "descr", descr(array.dtype()));
  // 0 would be ambiguous: the legacy default stream is 1.
  set_item(interface, "stream", py_uint(std::max<uintptr_t>(covering_stream(array)->handle(), 1)));
  return interface;
}

}  // namespace

GetSetRows interchange_rows() {
  static const PyGetSetDef rows[] = {
      {"__cuda_array_interface__", &Slot<get_interface>::call, nullptr,
       "The CUDA array interface, version 3; its stream covers all pending work on the memory.\n"
       "AttributeError on cpu arrays and for bfloat16.",
       nullptr},
  };
  return rows;
}

}  // namespace gpuarray::py
