// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/dlpack_exported.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray::py {
namespace {

using dlpack::DeviceId;
using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;

constexpr Signature<4> kExport{.function = "__dlpack__",
                               .names = {"stream", "max_version", "dl_device", "copy"},
                               .required = 0,
                               .positional = 0};

template <class Managed>
void destroy_capsule(PyObject* capsule) {
  // A consumer that has taken the tensor over has renamed the capsule.
  if (!PyCapsule_IsValid(capsule, dlpack::kCapsuleName<Managed>)) return;
  void* held = PyCapsule_GetPointer(capsule, dlpack::kCapsuleName<Managed>);
  dlpack::destroy_exported(static_cast<Managed*>(held));
}

template <class Managed>
Ref make_capsule(const Array& array, DeviceId device, uint64_t flags) {
  Managed* managed = dlpack::export_tensor<Managed>(array, device, flags);
  PyObject* capsule =
      PyCapsule_New(managed, dlpack::kCapsuleName<Managed>, &destroy_capsule<Managed>);
  if (capsule == nullptr) dlpack::destroy_exported(managed);
  return checked(capsule);
}

// Returns whether the consumer understands a ManagedTensorVersioned.
bool wants_versioned(PyObject* max_version) {
  if (!is_given(max_version)) return false;
  if (!PyTuple_Check(max_version) || PyTuple_Size(max_version) != 2)
    throw TypeError("__dlpack__: max_version must be a tuple (major, minor), got " +
                    type_name(max_version));
  for (Py_ssize_t at = 0; at < 2; ++at)
    if (!PyIndex_Check(PyTuple_GetItem(max_version, at)))
      throw TypeError("__dlpack__: max_version must be a tuple of two ints, got " +
                      type_name(PyTuple_GetItem(max_version, at)) + " in it");
  return to_int64(PyTuple_GetItem(max_version, 0)) >= dlpack::kMajorVersion;
}

// Returns the handle of the consumer's stream; nullopt if it wants no ordering. Throws TypeError or
// ValueError for a stream that the protocol does not allow.
std::optional<uintptr_t> consumer_stream(PyObject* stream, Device device) {
  if (is_given(stream) && !PyIndex_Check(stream))
    throw TypeError("__dlpack__: stream must be None or an int, got " + type_name(stream));
  if (device.is_cpu()) {
    if (!is_given(stream) || to_int64(stream) == -1) return std::nullopt;
    throw ValueError("__dlpack__: stream must be None for an array on cpu");
  }
  if (!is_given(stream)) return CU_STREAM_LEGACY;
  const int64_t handle = to_int64(stream);
  if (handle == -1) return std::nullopt;
  if (handle == 0) throw ValueError("__dlpack__: stream 0 is ambiguous; pass 1, 2 or a handle");
  if (handle < -1)
    throw ValueError("__dlpack__: stream " + std::to_string(handle) + " is not valid");
  return static_cast<uintptr_t>(handle);
}

bool same(DeviceId a, DeviceId b) { return a.type == b.type && a.id == b.id; }

// Returns the DLPack device that the consumer will see: that of the array's memory, the device on
// which its work runs, or the host. Throws BufferError for any other.
DeviceId exported_id(PyObject* dl_device, const Array& array) {
  const DeviceId own = dlpack::own_id(array);
  if (!is_given(dl_device)) return own;
  const DeviceId wanted = dlpack::to_device_id(dl_device, "__dlpack__: dl_device");
  if (same(wanted, own) || same(wanted, dlpack::from_device(array.device()))) return wanted;
  if (wanted.type == dlpack::kCpu) return {dlpack::kCpu, 0};
  throw BufferError("__dlpack__: cannot export an array of " + to_string(array.device()) +
                    " to device (" + std::to_string(wanted.type) + ", " +
                    std::to_string(wanted.id) + ")");
}

// Returns a copy in memory of the kind that the consumer will see, made on the current stream.
Array copy_for(const Array& array, DeviceId device) {
  if (device.type == dlpack::kCpu) return ops::to_device(array, Device::cpu());
  const bool own = same(device, dlpack::own_id(array));
  const MemoryKind kind = own ? array.buffer()->kind() : MemoryKind::device;
  Array copied = ops::empty(array.shape(), array.dtype(), array.device(), 'C', kind);
  ops::assign(copied, array);
  return copied;
}

// Returns the array itself, or a copy of it where one is wanted or needed; sets `flags`
// accordingly.
Array exported_array(const Array& array, DeviceId device, std::optional<bool> copy,
                     uint64_t& flags) {
  const bool needed = device.type == dlpack::kCpu && !host_visible(array.buffer()->kind());
  if (needed && copy == false)
    throw BufferError("__dlpack__: an array of " + to_string(array.device()) +
                      " cannot be exported to the host without a copy");
  if (needed || copy == true) {
    flags |= dlpack::kIsCopied;
    return without_gil([&] { return copy_for(array, device); });
  }
  if (!array.exports_writable()) flags |= dlpack::kReadOnly;
  return array;
}

// Makes the consumer's work run after pending work on the array. Blocks only if no stream is given
// and the host can read the memory, since the consumer may then be the host.
void order_consumer(const Array& array, PyObject* stream, std::optional<uintptr_t> handle) {
  if (!is_given(stream) && host_visible(array.buffer()->kind()))
    return without_gil([&] { ops::wait_on_host(array); });
  if (!handle) return;
  if (*handle == CU_STREAM_LEGACY && driver_orders(*handle, pending_stream(*array.buffer())))
    return;
  const StreamPtr consumer = external_stream(array.device(), *handle);
  if (consumer->is_capturing()) return BufferAccess(consumer).write(*array.buffer());
  consumer->wait_for(*pending_stream(*array.buffer()));
}

Ref array_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [stream, max_version, dl_device, copy] = parse(kExport, args, nargs, kwnames);
  const Array& array = as_array(self);
  const bool versioned = wants_versioned(max_version);
  const std::optional<bool> copies = to_copy(copy, "__dlpack__");
  const std::optional<uintptr_t> handle = consumer_stream(stream, array.device());
  uint64_t flags = 0;
  const DeviceId device = exported_id(dl_device, array);
  const Array exported = exported_array(array, device, copies, flags);
  if ((flags & dlpack::kReadOnly) && !versioned)
    throw BufferError("__dlpack__: a read-only array needs a consumer with max_version=(1, 0)");
  if (!exported.device().is_cpu()) order_consumer(exported, stream, handle);
  return versioned ? make_capsule<ManagedTensorVersioned>(exported, device, flags)
                   : make_capsule<ManagedTensor>(exported, device, flags);
}

Ref array_dlpack_device(PyObject* self, PyObject*) {
  const DeviceId device = dlpack::own_id(as_array(self));
  return checked(PyTuple_Pack(2, py_int(device.type).get(), py_int(device.id).get()));
}

}  // namespace

MethodRows dlpack_method_rows() {
  static const PyMethodDef rows[] = {
      {"__dlpack__", method<array_dlpack>, METH_FASTCALL | METH_KEYWORDS,
       R"(__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)
--

A DLPack capsule over this memory. Work on the consumer's `stream` (None is the legacy default
stream, -1 asks for no ordering) runs after all pending work on the array. `dl_device` (1, 0)
copies memory of a CUDA device to the host; `copy` True always copies, False never. BufferError
for what cannot be exported.)"},
      {"__dlpack_device__", method<array_dlpack_device>, METH_NOARGS,
       R"(__dlpack_device__($self, /)
--

DLPack's device: (1, 0) for cpu, (2, index) for CUDA, (3, 0) for pinned and (13, 0) for managed
memory.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
