// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "core/made_first.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/stream/main_stream.hpp"

// Exports GPUArrays by the CUDA array interface, version 3. Imports are in cuda_array_import.cpp.
namespace gpuarray::py {
namespace {

[[noreturn]] void no_attribute(const std::string& why) {
  PyErr_SetString(PyExc_AttributeError, ("__cuda_array_interface__: " + why).c_str());
  throw PythonError();
}

// Returns the strides in bytes; None if the array is C-contiguous.
Ref byte_strides(const Array& array) {
  if (array.is_c_contiguous()) return none();
  Strides strides = array.strides();
  for (int64_t& stride : strides) stride *= array.itemsize();
  return from_dims(strides);
}

// Returns a stream that runs after all pending work on the memory and lives as long as the array. A
// borrowed stream (of another library, or another thread's default stream) is named only while it
// is the current one; otherwise the main stream is made to wait for it.
StreamPtr covering_stream(const Array& array) {
  const StreamPtr& main = main_stream(array.device());
  StreamPtr stream = pending_stream(*array.buffer());
  if (stream == main) return stream;
  if (!stream->is_borrowed()) {
    array.buffer()->keep(stream);
    return stream;
  }
  if (stream == current_stream(array.device())) return stream;
  main->wait_for_uses(*stream);
  return main;
}

// Interned strings, which would otherwise be made and hashed at every call. They live for the
// process.
struct Keys {
  Ref shape = interned("shape"), typestr = interned("typestr"), data = interned("data"),
      strides = interned("strides"), version = interned("version"), descr = interned("descr"),
      stream = interned("stream");
};

const Keys& keys() {
  static constinit MadeFirst<Keys> made;
  return made.get([] { return Keys(); });
}

// The type string of a dtype, and the only field in the list that `descr` is.
struct Kind {
  Ref typestr, field;
};

const Kind& kind_of(DType dtype) {
  static constinit MadeFirst<Kind> kinds[kDTypeCount];
  return kinds[static_cast<int>(dtype)].get([dtype] {
    Ref typestr = interned(info(dtype).typestr);
    Ref field = checked(PyTuple_Pack(2, py_string("").get(), typestr.get()));
    return Kind{std::move(typestr), std::move(field)};
  });
}

Ref descr(const Kind& kind) {
  Ref fields = checked(PyList_New(1));
  checked_status(PyList_SetItem(fields.get(), 0, Ref::borrow(kind.field.get()).release()));
  return fields;
}

Ref address(const Array& array) {
  array.buffer()->lend();
  const auto data = array.size() == 0 ? 0 : reinterpret_cast<uintptr_t>(array.data());
  return py_uint(data);
}

void set_item(const Ref& dict, const Ref& key, const Ref& value) {
  checked_status(PyDict_SetItem(dict.get(), key.get(), value.get()));
}

Ref get_interface(PyObject* self, void*) {
  const Array& array = as_array(self);
  if (array.device().is_cpu()) no_attribute("the array is on cpu; a.to_device('cuda') is not");
  if (!info(array.dtype()).is_numpys())
    no_attribute(std::string("the protocol has no type string for ") + name(array.dtype()) +
                 "; use DLPack");
  Ref data =
      checked(PyTuple_Pack(2, address(array).get(), py_bool(!array.exports_writable()).get()));
  Ref interface = checked(PyDict_New());
  const Kind& kind = kind_of(array.dtype());
  set_item(interface, keys().shape, from_dims(array.shape()));
  set_item(interface, keys().typestr, kind.typestr);
  set_item(interface, keys().data, data);
  set_item(interface, keys().strides, byte_strides(array));
  set_item(interface, keys().version, py_int(3));
  set_item(interface, keys().descr, descr(kind));
  // The protocol forbids 0, which is ambiguous: the legacy default stream is 1.
  const uintptr_t handle = std::max<uintptr_t>(covering_stream(array)->handle(), 1);
  set_item(interface, keys().stream, py_uint(handle));
  return interface;
}

}  // namespace

GetSetRows interchange_rows() {
  static const PyGetSetDef rows[] = {
      {"__cuda_array_interface__", &Slot<get_interface>::call, nullptr,
       R"(The CUDA array interface, version 3; its stream covers all pending work on the memory.
AttributeError on cpu arrays and for bfloat16.)",
       nullptr},
  };
  return rows;
}

}  // namespace gpuarray::py
