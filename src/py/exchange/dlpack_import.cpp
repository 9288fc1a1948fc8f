// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/dlpack_borrowed.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray::py {
namespace {

using dlpack::Borrowed;
using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using dlpack::Place;
using dlpack::Wish;

constexpr const char* kWhat = "from_dlpack";

constexpr Signature<4> kFromDlpack{.function = "from_dlpack",
                                   .names = {"x", "device", "copy", "stream"},
                                   .required = 1,
                                   .positional = 1,
                                   .positional_only = 1};
Ref call(PyObject* object, const char* name, PyObject* kwargs) {
  Ref function = checked(PyObject_GetAttrString(object, name));
  return checked(PyObject_Call(function.get(), checked(PyTuple_New(0)).get(), kwargs));
}

void set_item(const Ref& dict, const char* key, const Ref& value) {
  checked_status(PyDict_SetItemString(dict.get(), key, value.get()));
}

dlpack::DeviceId device_of(PyObject* object) {
  if (!has_attribute(object, "__dlpack__") || !has_attribute(object, "__dlpack_device__"))
    throw TypeError("from_dlpack: expected an object with __dlpack__ and __dlpack_device__, got " +
                    type_name(object));
  return dlpack::to_device_id(call(object, "__dlpack_device__", nullptr).get(),
                              "from_dlpack: __dlpack_device__()");
}

// The stream that our work will be queued on, for producers to make their data ready on.
Ref stream_keyword(Device device) {
  Ref kwargs = checked(PyDict_New());
  if (device.is_cpu()) return kwargs;
  const uintptr_t handle = current_stream(device)->handle();
  set_item(kwargs, "stream", py_uint(std::max<uintptr_t>(handle, 1)));
  return kwargs;
}

// Null, and no error, for a producer that does not take these keywords.
Ref try_export(PyObject* object, const Ref& kwargs) {
  Ref function = checked(PyObject_GetAttrString(object, "__dlpack__"));
  Ref nothing = checked(PyTuple_New(0));
  Ref capsule = Ref::steal(PyObject_Call(function.get(), nothing.get(), kwargs.get()));
  if (capsule) return capsule;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
  PyErr_Clear();
  return {};
}

Ref request_capsule(PyObject* object, Device device, std::optional<bool> copy) {
  // NumPy, which has no streams, names the device of page-locked memory that it views.
  Ref kwargs = stream_keyword(is_ndarray(object) ? Device::cpu() : device);
  Ref version = checked(
      PyTuple_Pack(2, py_int(dlpack::kMajorVersion).get(), py_int(dlpack::kMinorVersion).get()));
  set_item(kwargs, "max_version", version);
  if (copy) set_item(kwargs, "copy", py_bool(*copy));
  if (Ref capsule = try_export(object, kwargs)) return capsule;
  // Producers from before version 1 know no keyword but the stream, and some not that.
  if (device.is_cpu()) return call(object, "__dlpack__", nullptr);
  if (Ref capsule = try_export(object, stream_keyword(device))) return capsule;
  Ref capsule = call(object, "__dlpack__", nullptr);
  wait_for_handle(device, CU_STREAM_LEGACY);
  return capsule;
}

template <class Managed>
Borrowed take(PyObject* capsule, const Wish& wish) {
  void* held = PyCapsule_GetPointer(capsule, dlpack::kCapsuleName<Managed>);
  if (held == nullptr) throw PythonError();
  checked_status(PyCapsule_SetName(capsule, dlpack::kUsedCapsuleName<Managed>));
  dlpack::Owner owner(static_cast<Managed*>(held));
  Borrowed borrowed = dlpack::borrow_tensor(owner.get(), kWhat, wish);
  owner.release();
  return borrowed;
}

Borrowed take_capsule(PyObject* capsule, const Wish& wish) {
  if (PyCapsule_IsValid(capsule, dlpack::kCapsuleName<ManagedTensor>))
    return take<ManagedTensor>(capsule, wish);
  if (PyCapsule_IsValid(capsule, dlpack::kCapsuleName<ManagedTensorVersioned>))
    return take<ManagedTensorVersioned>(capsule, wish);
  throw BufferError("from_dlpack: __dlpack__() must return an unused DLPack capsule, got " +
                    type_name(capsule));
}

Ref from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, device, copy, stream] = parse(kFromDlpack, args, nargs, kwnames);
  const std::optional<bool> copies = to_copy(copy, "from_dlpack");
  if (device == nullptr || device == Py_None) return import_dlpack(object, nullptr, copies, stream);
  const Device target = to_device(device);
  return import_dlpack(object, &target, copies, stream);
}

// (object, never_copy), for gpuarray.asarray: None if it is no array of another library's.
Ref share_foreign(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) throw TypeError("_share_foreign: expected 2 arguments");
  if (!is_foreign_array(args[0])) return none();
  const bool never = args[1] == Py_True;
  return import_foreign(args[0], never ? std::optional(false) : std::nullopt);
}

// A view: uses of the memory are ordered whoever's they are.
Ref import_own(PyObject* object, std::optional<bool> copy) {
  const Array& array = as_array(object);
  if (copy != true) return new_array(array, object);
  return new_array(without_gil([&] { return ops::copy(array, 'C'); }));
}

}  // namespace

Ref import_dlpack(PyObject* object, const Device* device, std::optional<bool> copy,
                  PyObject* stream) {
  std::optional<StreamScope> scope;
  if (stream != nullptr && stream != Py_None) {
    const bool to_cuda = device != nullptr && !device->is_cpu();
    scope.emplace(stream, to_cuda ? *device : dlpack::to_place(device_of(object)).device);
  }
  if (device == nullptr || (is_array(object) && *device == as_array(object).device())) {
    if (is_array(object)) return import_own(object, copy);
    if (copy != true)
      if (std::optional<Borrowed> borrowed = dlpack::borrow_by_table(object, copy))
        return new_array(std::move(borrowed->array), borrowed->copied ? nullptr : object);
  }
  const Place source = dlpack::to_place(device_of(object));
  require_device(source.device);
  if (device != nullptr) require_device(*device);
  const bool is_shared = source.kind == MemoryKind::pinned || source.kind == MemoryKind::managed;
  const bool moves = device != nullptr && *device != source.device && !is_shared;
  if (moves && copy == false)
    throw BufferError("from_dlpack: data on " + to_string(source.device) + " cannot be moved to " +
                      to_string(*device) + " without a copy");
  const bool to_host = is_shared && device != nullptr && device->is_cpu();
  const Device consumer = is_shared && device != nullptr && !to_host ? *device : source.device;
  // A move copies anyway, so that the producer need not.
  Ref capsule = request_capsule(object, consumer, moves ? std::nullopt : copy);
  if (to_host) without_gil([&] { current_stream(consumer)->synchronize(); });
  Borrowed taken = take_capsule(capsule.get(), {is_shared ? device : nullptr, copy});
  if (moves) return new_array(without_gil([&] { return ops::to_device(taken.array, *device); }));
  if (copy == true && !taken.copied)
    return new_array(without_gil([&] { return ops::copy(taken.array, 'C'); }));
  return new_array(std::move(taken.array), taken.copied ? nullptr : object);
}

MethodRows dlpack_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"from_dlpack", method<from_dlpack>, kCall,
       "from_dlpack(x, /, *, device=None, copy=None, stream=None)\n--\n\n"
       "A GPUArray over the memory of another library's array, or over a copy on `device`. Work "
       "on\n"
       "`stream`, or the current one, runs after the producer's pending work; the memory is given\n"
       "back when the "
       "last view is gone. Page-locked and managed memory stay what they are, and are used from\n"
       "`device` without a copy. Elements that are not aligned are copied. BufferError for a "
       "dtype,\n"
       "device or layout that cannot be taken, or if `copy` is False and one is needed."},
      {"_share_foreign", method<share_foreign>, METH_FASTCALL,
       "_share_foreign(obj, never_copy, /)\n--\n\nFor gpuarray.asarray."},
  };
  return rows;
}

}  // namespace gpuarray::py
