// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/made_first.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/dlpack_borrowed.hpp"
#include "py/exchange/interchange.hpp"
#include "runtime/device/device.hpp"

// Imports by the exchange tables of other libraries' types.
namespace gpuarray::py::dlpack {
namespace {

// A type of another library whose objects may be imported.
struct Producer {
  PyTypeObject* type = nullptr;      // owned, so that no other type gets its address
  const ExchangeApi* api = nullptr;  // null if the type has no table that can be used
  // Whether __dlpack__ must be called for some objects. PyTorch's refuses tensors that require a
  // gradient or are lazily conjugated, which its table exports as they lie in memory.
  bool needs_dunder_dlpack = false;
};

// The types seen last.
constexpr int kCachedProducers = 8;
GilStandIn cache_lock;  // guards the following
Producer cached_producers[kCachedProducers];
int oldest = 0;  // the position that the next new type takes

// Returns what is known of the type; one without a type if nothing is.
Producer cached(const PyTypeObject* type) {
  const std::lock_guard lock(cache_lock);
  for (const Producer& producer : cached_producers)
    if (producer.type == type) return producer;
  return {};
}

// Returns the newest table in the capsule whose major version is supported; null if there is none,
// or if it lacks a function that importing needs.
const ExchangeApi* read_table(PyObject* capsule) {
  const auto* api =
      static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule, kExchangeCapsule));
  if (api == nullptr) PyErr_Clear();
  while (api != nullptr && api->version.major != kMajorVersion) api = api->previous;
  const bool usable = api != nullptr && api->managed_tensor_from_py_object_no_sync != nullptr &&
                      api->current_work_stream != nullptr;
  return usable ? api : nullptr;
}

Producer inspect(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!has_attribute(object, kExchangeAttribute)) return {type};
  Ref capsule = checked(PyObject_GetAttrString(object, kExchangeAttribute));
  return {type, read_table(capsule.get()), has_attribute(object, "requires_grad")};
}

// Looks the type up among those seen last, or inspects it and takes it in.
Producer find_producer(PyTypeObject* type) {
  if (const Producer known = cached(type); known.type != nullptr) return known;
  const Producer found = inspect(type);
  Ref::borrow(reinterpret_cast<PyObject*>(type)).release();
  Ref dropped;  // after the lock is given back
  const std::lock_guard lock(cache_lock);
  Producer& slot = cached_producers[oldest];
  dropped = Ref::steal(reinterpret_cast<PyObject*>(std::exchange(slot, found).type));
  oldest = (oldest + 1) % kCachedProducers;
  return found;
}

// Returns whether __dlpack__ would refuse the object because its gradient is recorded.
bool requires_grad(const Producer& producer, PyObject* object) {
  if (!producer.needs_dunder_dlpack) return false;
  static constinit MadeFirst<Ref> name;
  PyObject* const key = name.get([] { return interned("requires_grad"); }).get();
  Ref required = checked(PyObject_GetAttr(object, key));
  return checked_status(PyObject_IsTrue(required.get())) == 1;
}

// Throws the Python error that a function of the producer has set, or a BufferError if it set none.
[[noreturn]] void fail(const char* function) {
  if (PyErr_Occurred() == nullptr)
    throw BufferError(std::string("from_dlpack: the producer's ") + function + " failed");
  throw PythonError();
}

// Makes work on the current stream run after what the producer has queued. Does not block.
void wait_for_producer(const ExchangeApi& api, DeviceId id) {
  if (id.type == kCpu) return;
  const Device device = to_place(id).device;
  require_device(device);
  if (device.is_cpu()) return;
  void* handle = nullptr;
  if (api.current_work_stream(static_cast<DeviceType>(id.type), id.id, &handle) != 0)
    fail("current_work_stream");
  wait_for_handle(device, reinterpret_cast<uintptr_t>(handle));
}

}  // namespace

std::optional<BorrowedArray> borrow_by_table(PyObject* object, std::optional<bool> copy) {
  const Producer producer = find_producer(Py_TYPE(object));
  if (producer.api == nullptr || requires_grad(producer, object)) return std::nullopt;
  ManagedTensorVersioned* managed = nullptr;
  if (producer.api->managed_tensor_from_py_object_no_sync(object, &managed) != 0 ||
      managed == nullptr)
    fail("managed_tensor_from_py_object_no_sync");
  Owner owner(managed);
  require_version(managed->version, "from_dlpack");
  const Tensor& tensor = managed->tensor;
  // The table does not say whether complex elements are still to be conjugated.
  if (producer.needs_dunder_dlpack && tensor.dtype.code == kComplex) return std::nullopt;
  wait_for_producer(*producer.api, tensor.device);
  BorrowedArray borrowed = borrow_tensor(managed, "from_dlpack", {nullptr, copy});
  owner.release();
  return borrowed;
}

}  // namespace gpuarray::py::dlpack
