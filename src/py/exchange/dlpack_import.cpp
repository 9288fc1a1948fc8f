// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <optional>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
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

using dlpack::BorrowedArray;
using dlpack::ImportOptions;
using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;
using dlpack::Place;

constexpr const char* kWhat = "from_dlpack";

constexpr Signature<4> kFromDlpack{.function = "from_dlpack",
                                   .names = {"x", "device", "copy", "stream"},
                                   .required = 1,
                                   .positional = 1,
                                   .positional_only = 1};
Ref call(PyObject* object, const char* name, PyObject* kwargs) {
  Ref function = checked(PyObject_GetAttrString(object, name));
  return call_python(PyObject_Call, function.get(), checked(PyTuple_New(0)).get(), kwargs);
}

void set_item(const Ref& dict, const char* key, const Ref& value) {
  checked_status(PyDict_SetItemString(dict.get(), key, value.get()));
}

dlpack::DeviceId device_of(PyObject* object) {
  if (!has_attribute(object, "__dlpack__") || !has_attribute(object, "__dlpack_device__"))
    throw TypeError("from_dlpack: expected an object with __dlpack__ and __dlpack_device__, got " +
                    type_name(object) + "; gpuarray.asarray(x) takes sequences");
  return dlpack::to_device_id(call(object, "__dlpack_device__", nullptr).get(),
                              "from_dlpack: __dlpack_device__()");
}

// Returns the stream= keyword for __dlpack__: the current stream of the device, for which the
// producer makes its memory ready; null on cpu.
Ref stream_keyword(Device device) {
  Ref kwargs = checked(PyDict_New());
  if (device.is_cpu()) return kwargs;
  const uintptr_t handle = current_stream(device)->handle();
  set_item(kwargs, "stream", py_uint(std::max<uintptr_t>(handle, 1)));
  return kwargs;
}

// Calls __dlpack__. Null, and no error, if it raises TypeError, as for keywords that it does not
// know.
Ref try_export(PyObject* object, const Ref& kwargs) {
  Ref function = checked(PyObject_GetAttrString(object, "__dlpack__"));
  Ref nothing = checked(PyTuple_New(0));
  Ref capsule = try_python(PyObject_Call, function.get(), nothing.get(), kwargs.get());
  if (capsule) return capsule;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError();
  PyErr_Clear();
  return {};
}

// Asks the producer for a capsule whose memory is ready for the current stream of `device`.
Ref request_capsule(PyObject* object, Device device, std::optional<bool> copy) {
  // NumPy takes no stream, even for page-locked memory, whose device it names.
  Ref kwargs = stream_keyword(is_ndarray(object) ? Device::cpu() : device);
  Ref version = checked(
      PyTuple_Pack(2, py_int(dlpack::kMajorVersion).get(), py_int(dlpack::kMinorVersion).get()));
  set_item(kwargs, "max_version", version);
  if (copy) set_item(kwargs, "copy", py_bool(*copy));
  if (Ref capsule = try_export(object, kwargs)) return capsule;
  // Producers older than DLPack 1.0 know only the keyword `stream`, and some not even that.
  if (device.is_cpu()) return call(object, "__dlpack__", nullptr);
  if (Ref capsule = try_export(object, stream_keyword(device))) return capsule;
  Ref capsule = call(object, "__dlpack__", nullptr);
  wait_for_handle(device, CU_STREAM_LEGACY);
  return capsule;
}

// Takes the tensor out of its capsule, which is renamed as the protocol demands.
template <class Managed>
BorrowedArray take(PyObject* capsule, const ImportOptions& options) {
  void* held = PyCapsule_GetPointer(capsule, dlpack::kCapsuleName<Managed>);
  if (held == nullptr) throw PythonError();
  checked_status(PyCapsule_SetName(capsule, dlpack::kUsedCapsuleName<Managed>));
  dlpack::Owner owner(static_cast<Managed*>(held));
  BorrowedArray borrowed = dlpack::borrow_tensor(owner.get(), kWhat, options);
  owner.release();
  return borrowed;
}

// Returns whether the producer says, by other means than an unversioned capsule, that its memory
// may be written. NumPy makes such capsules of writable ndarrays only.
bool is_writable(PyObject* producer) {
  return is_ndarray(producer) || has_writable_interface(producer);
}

BorrowedArray take_capsule(PyObject* capsule, PyObject* producer, ImportOptions options) {
  if (PyCapsule_IsValid(capsule, dlpack::kCapsuleName<ManagedTensor>)) {
    options.writes_unversioned = is_writable(producer);
    return take<ManagedTensor>(capsule, options);
  }
  if (PyCapsule_IsValid(capsule, dlpack::kCapsuleName<ManagedTensorVersioned>))
    return take<ManagedTensorVersioned>(capsule, options);
  throw BufferError("from_dlpack: __dlpack__() must return an unused DLPack capsule, got " +
                    type_name(capsule));
}

Ref from_dlpack(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, device, copy, stream] = parse(kFromDlpack, args, nargs, kwnames);
  const std::optional<bool> copies = to_copy(copy, "from_dlpack");
  if (!is_given(device)) return import_dlpack(object, nullptr, copies, stream);
  const Device target = to_device(device);
  return import_dlpack(object, &target, copies, stream);
}

// Serves gpuarray.asarray: (object, never_copy) gives a GPUArray, or None for what is not an array
// of another library.
Ref share_foreign(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs != 2) throw TypeError("_share_foreign: expected 2 arguments");
  if (!is_foreign_array(args[0])) return none();
  const bool never = args[1] == Py_True;
  return import_foreign(args[0], never ? std::optional(false) : std::nullopt);
}

// Returns the device whose stream `stream=` names: the target if it is a CUDA device, else the
// producer's.
Device work_device(PyObject* object, const Device* target) {
  if (target != nullptr && !target->is_cpu()) return *target;
  return dlpack::to_place(device_of(object)).device;
}

// Imports a GPUArray. A view of it needs no stream order: uses of its buffer are ordered already.
Ref import_own(PyObject* object, std::optional<bool> copy) {
  const Array& array = as_array(object);
  if (copy != true) return new_array(array, object);
  return new_array(without_gil([&] { return ops::copy(array, 'C'); }));
}

// Imports without calling __dlpack__: GPUArrays, and objects whose type has an exchange table. Null
// where that is not possible.
Ref import_without_capsule(PyObject* object, const Device* device, std::optional<bool> copy) {
  if (is_array(object) && (device == nullptr || *device == as_array(object).device()))
    return import_own(object, copy);
  if (device != nullptr || copy == true) return {};
  std::optional<BorrowedArray> borrowed = dlpack::borrow_by_table(object, copy);
  if (!borrowed) return {};
  return new_array(std::move(borrowed->array), borrowed->copied ? nullptr : object);
}

// What is decided before the producer is asked for a capsule.
struct ImportPlan {
  bool is_shared;   // the memory is page-locked or managed, so that any device can use it in place
  bool moves;       // the elements are copied to another device
  bool host_reads;  // the host will read shared memory, for which it must wait for the producer
  Device consumer;  // the producer makes the memory ready for this device's current stream
};

// Throws BufferError if elements would have to move and `copy` is false; DeviceError for a device
// that does not exist.
ImportPlan plan_import(PyObject* object, const Device* device, std::optional<bool> copy) {
  const Place source = dlpack::to_place(device_of(object));
  require_device(source.device);
  if (device != nullptr) require_device(*device);
  const bool is_shared = source.kind == MemoryKind::pinned || source.kind == MemoryKind::managed;
  const bool moves = device != nullptr && *device != source.device && !is_shared;
  if (moves && copy == false)
    throw BufferError("from_dlpack: data on " + to_string(source.device) + " cannot be moved to " +
                      to_string(*device) + " without a copy");
  const bool host_reads = is_shared && device != nullptr && device->is_cpu();
  const bool is_used_from = is_shared && device != nullptr && !host_reads;
  return {is_shared, moves, host_reads, is_used_from ? *device : source.device};
}

}  // namespace

Ref import_dlpack(PyObject* object, const Device* device, std::optional<bool> copy,
                  PyObject* stream) {
  std::optional<StreamScope> scope;
  if (is_given(stream)) scope.emplace(stream, work_device(object, device));
  if (Ref imported = import_without_capsule(object, device, copy)) return imported;
  const ImportPlan plan = plan_import(object, device, copy);
  // A move copies anyway, so the producer need not.
  Ref capsule = request_capsule(object, plan.consumer, plan.moves ? std::nullopt : copy);
  if (plan.host_reads) without_gil([&] { current_stream(plan.consumer)->synchronize(); });
  BorrowedArray taken =
      take_capsule(capsule.get(), object, {plan.is_shared ? device : nullptr, copy});
  if (plan.moves)
    return new_array(without_gil([&] { return ops::to_device(taken.array, *device); }));
  if (copy == true && !(taken.copied && taken.array.writable()))
    return new_array(without_gil([&] { return ops::copy(taken.array, 'C'); }));
  return new_array(std::move(taken.array), taken.copied ? nullptr : object);
}

MethodRows dlpack_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"from_dlpack", method<from_dlpack>, kCall,
       R"(from_dlpack(x, /, *, device=None, copy=None, stream=None)
--

A GPUArray over the memory of another library's array, or over a copy on `device`. Work on
`stream`, or the current one, runs after the producer's pending work; the memory is given back
when the last view is gone. Page-locked and managed memory stay what they are, and are used
from `device` without a copy. Elements that are not aligned are copied. An array over memory
that its producer does not call writable is read-only; with `copy` True it is a writable copy.
BufferError for a dtype, device or layout that cannot be taken, or if `copy` is False and one
is needed.)"},
      {"_share_foreign", method<share_foreign>, METH_FASTCALL,
       R"(_share_foreign(obj, never_copy, /)
--

For gpuarray.asarray.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
