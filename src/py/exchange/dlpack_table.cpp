// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/dlpack_borrowed.hpp"
#include "py/exchange/dlpack_exported.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/buffer/access.hpp"

// The DLPack exchange table of GPUArray, which other libraries call.
namespace gpuarray::py {
namespace {

using dlpack::DeviceId;
using dlpack::DeviceType;
using dlpack::ExchangeApi;
using dlpack::ManagedTensorVersioned;
using dlpack::Place;
using dlpack::Tensor;

const Array& exchanged(void* object) {
  return require_array(static_cast<PyObject*>(object), "DLPack exchange");
}

// Makes work queued on the current work stream from now on run after pending work on the array.
void order_work(const Array& array) {
  if (array.device().is_cpu()) return;
  array.settle();  // a value is copied, and the work waits for that, too
  const Place place{array.device(), array.buffer()->kind()};
  BufferAccess access(current_stream(dlpack::work_device(place)));
  if (array.writable())
    access.write(*array.buffer());
  else
    access.read(*array.buffer());
}

void managed_tensor_from_object(void* object, ManagedTensorVersioned** out) {
  const Array& array = exchanged(object);
  order_work(array);
  const uint64_t flags = array.exports_writable() ? 0 : dlpack::kReadOnly;
  *out = dlpack::export_tensor<ManagedTensorVersioned>(array, dlpack::own_id(array), flags);
}

// Makes an array object of the tensor. The object is made before the tensor is borrowed: if this
// throws, the tensor is still the caller's.
void managed_tensor_to_object(ManagedTensorVersioned* tensor, void** out) {
  Ref made = new_unset_array(std::clamp(tensor->tensor.ndim, 0, kMaxDims));
  array_object(made.get())->array = dlpack::borrow_tensor(tensor, "DLPack exchange", {}).array;
  *out = made.release();
}

void tensor_from_object(void* object, Tensor* out) {
  const Array& array = exchanged(object);
  if (!array.exports_writable())
    throw BufferError("DLPack exchange: a DLTensor cannot say that the array is read-only");
  order_work(array);
  array.buffer()->lend();
  *out = dlpack::describe(array, dlpack::own_id(array), const_cast<int64_t*>(array.shape().begin()),
                          const_cast<int64_t*>(array.strides().begin()));
}

void current_work_stream(DeviceType type, int32_t id, void** out) {
  const Device device = dlpack::work_device(dlpack::to_place({type, id}));
  *out = reinterpret_cast<void*>(current_stream(device)->handle());
}

Array allocated(const Tensor& prototype) {
  const Place place = dlpack::to_place(prototype.device);
  Shape shape;
  if (prototype.ndim < 0 || prototype.ndim > kMaxDims)
    throw BufferError("DLPack exchange: up to " + std::to_string(kMaxDims) +
                      " dimensions are supported, got " + std::to_string(prototype.ndim));
  for (int axis = 0; axis < prototype.ndim; ++axis) shape.push_back(prototype.shape[axis]);
  const DType dtype = dlpack::to_dtype(prototype.dtype);
  const MemoryKind kind = place.kind == MemoryKind::host ? MemoryKind::device : place.kind;
  return ops::empty(shape, dtype, place.device, 'C', kind);
}

// Passes the current Python error to the caller's function as text, and clears it.
void report(void* context, ExchangeApi::SetError fail) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Ref owners[] = {Ref::steal(type), Ref::steal(value), Ref::steal(trace)};
  Ref name = Ref::steal(PyObject_GetAttrString(type, "__name__"));
  Ref text = Ref::steal(PyObject_Str(value));
  auto utf8 = [](const Ref& string) {
    Ref bytes = Ref::steal(string ? PyUnicode_AsUTF8String(string.get()) : nullptr);
    const char* chars = bytes ? PyBytes_AsString(bytes.get()) : nullptr;
    return std::string(chars != nullptr ? chars : "unknown");
  };
  const std::string kind = utf8(name), message = utf8(text);
  PyErr_Clear();
  if (fail != nullptr) fail(context, kind.c_str(), message.c_str());
}

int allocate(Tensor* prototype, ManagedTensorVersioned** out, void* context,
             ExchangeApi::SetError fail) noexcept {
  *out = nullptr;
  if (!Py_IsInitialized()) return -1;
  GilHold gil;
  try {
    enter();
    const Array array = allocated(*prototype);
    *out = dlpack::export_tensor<ManagedTensorVersioned>(array, dlpack::own_id(array), 0);
    return 0;
  } catch (...) {
    set_python_error();
    report(context, fail);
    return -1;
  }
}

constexpr ExchangeApi kTable{
    .version = {dlpack::kMajorVersion, dlpack::kMinorVersion},
    .previous = nullptr,
    .managed_tensor_allocator = &allocate,
    .managed_tensor_from_py_object_no_sync = &Slot<managed_tensor_from_object>::call,
    .managed_tensor_to_py_object_no_sync = &Slot<managed_tensor_to_object>::call,
    .dltensor_from_py_object_no_sync = &Slot<tensor_from_object>::call,
    .current_work_stream = &Slot<current_work_stream>::call};

}  // namespace

void add_exchange_table() {
  const Ref capsule =
      checked(PyCapsule_New(const_cast<ExchangeApi*>(&kTable), dlpack::kExchangeCapsule, nullptr));
  set_type_attribute(array_type, dlpack::kExchangeAttribute, capsule);
}

}  // namespace gpuarray::py
