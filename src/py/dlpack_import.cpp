// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <memory>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/arguments.hpp"
#include "py/array_object.hpp"
#include "py/convert.hpp"
#include "py/current_stream.hpp"
#include "py/dlpack.hpp"
#include "py/gil.hpp"
#include "py/interchange.hpp"
#include "py/slot.hpp"
#include "runtime/device.hpp"
#include "runtime/stream.hpp"

namespace gpuarray::py {
namespace {

using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using dlpack::Tensor;

constexpr Signature<4> kFromDlpack{.function = "from_dlpack",
                                   .names = {"x", "device", "copy", "stream"},
                                   .required = 1,
                                   .positional = 1,
                                   .positional_only = 1};
constexpr Signature<1> kFromInterface{
    .function = "from_cuda_array_interface", .names = {"obj"}, .required = 1, .positional_only = 1};

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

// Keywords for every producer: the stream that our work will be queued on.
Ref stream_keyword(Device device) {
  Ref kwargs = checked(PyDict_New());
  if (device.is_cpu()) return kwargs;
  const uintptr_t handle = current_stream(device)->handle();
  set_item(kwargs, "stream", py_uint(std::max<uintptr_t>(handle, 1)));
  return kwargs;
}

Ref request_capsule(PyObject* object, Device device, std::optional<bool> copy) {
  Ref kwargs = stream_keyword(device);
  Ref version = checked(
      PyTuple_Pack(2, py_int(dlpack::kMajorVersion).get(), py_int(dlpack::kMinorVersion).get()));
  set_item(kwargs, "max_version", version);
  if (copy) set_item(kwargs, "copy", py_bool(*copy));
  Ref function = checked(PyObject_GetAttrString(object, "__dlpack__"));
  Ref nothing = checked(PyTuple_New(0));
  Ref capsule = Ref::steal(PyObject_Call(function.get(), nothing.get(), kwargs.get()));
  if (capsule) return capsule;
  // Producers from before version 1 know no keyword but the stream.
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
  PyErr_Clear();
  return call(object, "__dlpack__", stream_keyword(device).get());
}

ForeignMemory to_memory(const Tensor& tensor, bool readonly) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxDims)
    throw BufferError("from_dlpack: up to " + std::to_string(kMaxDims) +
                      " dimensions are supported, got " + std::to_string(tensor.ndim));
  ForeignMemory memory;
  memory.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  memory.device = dlpack::to_device(tensor.device);
  memory.dtype = dlpack::to_dtype(tensor.dtype);
  memory.readonly = readonly;
  for (int axis = 0; axis < tensor.ndim; ++axis) memory.shape.push_back(tensor.shape[axis]);
  if (tensor.strides == nullptr) {
    memory.strides = contiguous_strides(memory.shape);
  } else {
    for (int axis = 0; axis < tensor.ndim; ++axis) memory.strides.push_back(tensor.strides[axis]);
  }
  return memory;
}

// The producer's deleter is called with the GIL, on whatever thread drops the last view.
template <class Managed>
std::function<void()> releaser(Managed* managed) {
  auto drop = [](Managed* taken) {
    if (taken->deleter == nullptr || !Py_IsInitialized()) return;
    GilHold gil;
    taken->deleter(taken);
  };
  std::shared_ptr<Managed> owner(managed, drop);
  return [owner]() mutable { owner.reset(); };
}

template <class Managed>
Array take(PyObject* capsule, uint64_t flags) {
  const char* name = dlpack::kCapsuleName<Managed>;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) throw PythonError();
  const ForeignMemory memory = to_memory(managed->tensor, flags & dlpack::kReadOnly);
  require_device(memory.device);
  checked_status(PyCapsule_SetName(capsule, dlpack::kUsedCapsuleName<Managed>));
  return borrow_array(memory, "from_dlpack", releaser(managed));
}

struct Taken {
  Array array;
  bool copied;
};

// Until the capsule is renamed, it still owns the tensor and an error needs no clean-up.
Taken take_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, dlpack::kCapsuleName<ManagedTensor>))
    return {take<ManagedTensor>(capsule, 0), false};
  const char* name = dlpack::kCapsuleName<ManagedTensorVersioned>;
  if (!PyCapsule_IsValid(capsule, name))
    throw BufferError("from_dlpack: __dlpack__() must return an unused DLPack capsule, got " +
                      type_name(capsule));
  auto* managed = static_cast<ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, name));
  if (managed->version.major != dlpack::kMajorVersion)
    throw BufferError("from_dlpack: DLPack " + std::to_string(managed->version.major) + "." +
                      std::to_string(managed->version.minor) + " is not supported, expected 1.x");
  const uint64_t flags = managed->flags;
  return {take<ManagedTensorVersioned>(capsule, flags), (flags & dlpack::kIsCopied) != 0};
}

std::optional<bool> to_optional_bool(PyObject* object) {
  if (object == nullptr || object == Py_None) return std::nullopt;
  return checked_status(PyObject_IsTrue(object)) == 1;
}

Ref from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, device, copy, stream] = parse(kFromDlpack, args, nargs, kwnames);
  const std::optional<bool> copies = to_optional_bool(copy);
  if (device == nullptr || device == Py_None) return import_dlpack(object, nullptr, copies, stream);
  const Device target = to_device(device);
  return import_dlpack(object, &target, copies, stream);
}

Ref from_cuda_array_interface(PyObject*, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* kwnames) {
  auto [object] = parse(kFromInterface, args, nargs, kwnames);
  return import_cuda_array(object);
}

}  // namespace

Ref import_dlpack(PyObject* object, const Device* device, std::optional<bool> copy,
                  PyObject* stream) {
  const Device source = dlpack::to_device(device_of(object));
  require_device(source);
  const bool moves = device != nullptr && *device != source;
  if (moves && copy == false)
    throw BufferError("from_dlpack: data on " + to_string(source) + " cannot be moved to " +
                      to_string(*device) + " without a copy");
  const StreamScope scope(stream, moves && !device->is_cpu() ? *device : source);
  // A move copies anyway, so that the producer need not.
  Ref capsule = request_capsule(object, source, moves ? std::nullopt : copy);
  const Taken taken = take_capsule(capsule.get());
  if (moves) return new_array(without_gil([&] { return ops::to_device(taken.array, *device); }));
  if (copy == true && !taken.copied)
    return new_array(without_gil([&] { return ops::copy(taken.array, 'C'); }));
  return new_array(taken.array, taken.copied ? nullptr : object);
}

MethodRows dlpack_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"from_dlpack", method<from_dlpack>, kCall,
       "from_dlpack(x, /, *, device=None, copy=None, stream=None)\n--\n\n"
       "A GPUArray over the memory of another library's array, or over a copy on `device`. Work "
       "on\n"
       "`stream`, or the current one, runs after the producer's pending work; the memory is given back when "
       "the\n"
       "last view is gone. BufferError for a dtype, device or layout that cannot be taken, or if\n"
       "`copy` is False and one is needed."},
      {"from_cuda_array_interface", method<from_cuda_array_interface>, kCall,
       "from_cuda_array_interface(obj, /)\n--\n\n"
       "A GPUArray over the memory of an object with __cuda_array_interface__, which it keeps "
       "alive.\n"
       "Work on the current stream runs after the stream that the interface names. ValueError for "
       "an\n"
       "interface that is malformed or masked, TypeError for a dtype that is not supported."},
  };
  return rows;
}

}  // namespace gpuarray::py
