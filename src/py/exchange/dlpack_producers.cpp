// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/dlpack_borrowed.hpp"
#include "py/exchange/interchange.hpp"
#include "runtime/device/device.hpp"

// Exchange tables of other libraries' types.
namespace gpuarray::py::dlpack {
namespace {

struct Producer {
  PyTypeObject* type = nullptr;      // kept alive, so that no other has its address
  const ExchangeApi* api = nullptr;  // null where there is none
  // Its __dlpack__ refuses what the table gives: tensors whose gradient is recorded, or whose
  // elements are to be conjugated.
  bool is_particular = false;
};

// Those seen last; the GIL guards them.
constexpr int kKept = 8;
Producer kept[kKept];
int oldest = 0;

// Null for a capsule without functions that we can call.
const ExchangeApi* read_table(PyObject* capsule) {
  const auto* api =
      static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule, kExchangeCapsule));
  if (api == nullptr) PyErr_Clear();
  while (api != nullptr && api->version.major != kMajorVersion) api = api->previous;
  const bool usable = api != nullptr && api->from_object != nullptr && api->work_stream != nullptr;
  return usable ? api : nullptr;
}

Producer look_at(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!has_attribute(object, kExchangeAttribute)) return {type};
  Ref capsule = checked(PyObject_GetAttrString(object, kExchangeAttribute));
  return {type, read_table(capsule.get()), has_attribute(object, "requires_grad")};
}

// Its table is null where there is none.
Producer find_producer(PyTypeObject* type) {
  for (const Producer& producer : kept)
    if (producer.type == type) return producer;
  const Producer found = look_at(type);
  Ref::borrow(reinterpret_cast<PyObject*>(type)).release();
  Ref dropped = Ref::steal(reinterpret_cast<PyObject*>(std::exchange(kept[oldest], found).type));
  oldest = (oldest + 1) % kKept;
  return found;
}

bool is_refused(const Producer& producer, PyObject* object) {
  if (!producer.is_particular) return false;
  static PyObject* const name = PyUnicode_InternFromString("requires_grad");
  Ref recorded = checked(PyObject_GetAttr(object, name));
  return checked_status(PyObject_IsTrue(recorded.get())) == 1;
}

[[noreturn]] void fail(const char* function) {
  if (PyErr_Occurred() == nullptr)
    throw BufferError(std::string("from_dlpack: the producer's ") + function + " failed");
  throw PythonError();
}

// What the producer has queued comes before our work.
void wait_for_producer(const ExchangeApi& api, DeviceId id) {
  if (id.type == kCpu) return;
  const Device device = to_place(id).device;
  require_device(device);
  if (device.is_cpu()) return;
  void* handle = nullptr;
  if (api.work_stream(static_cast<DeviceType>(id.type), id.id, &handle) != 0)
    fail("current_work_stream");
  wait_for_handle(device, reinterpret_cast<uintptr_t>(handle));
}

}  // namespace

std::optional<Borrowed> borrow_by_table(PyObject* object, std::optional<bool> copy) {
  const Producer producer = find_producer(Py_TYPE(object));
  if (producer.api == nullptr || is_refused(producer, object)) return std::nullopt;
  ManagedTensorVersioned* managed = nullptr;
  if (producer.api->from_object(object, &managed) != 0 || managed == nullptr)
    fail("managed_tensor_from_py_object_no_sync");
  Owner owner(managed);
  require_version(managed->version, "from_dlpack");
  const Tensor& tensor = managed->tensor;
  if (producer.is_particular && tensor.dtype.code == kComplex) return std::nullopt;
  wait_for_producer(*producer.api, tensor.device);
  Borrowed borrowed = borrow_tensor(managed, "from_dlpack", {nullptr, copy});
  owner.release();
  return borrowed;
}

}  // namespace gpuarray::py::dlpack
