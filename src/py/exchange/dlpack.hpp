// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "py/binding/ref.hpp"
#include "runtime/device/memory_kind.hpp"

// DLPack's C structures (version 1.3), as dlpack.h lays them out.
namespace gpuarray::py::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 3;

inline constexpr uint64_t kReadOnly = 1;
inline constexpr uint64_t kIsCopied = 2;

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct DeviceId {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  DeviceId device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // elements; null for C order
  uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor*);
};

struct ManagedTensorVersioned {
  Version version;
  void* manager;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  Tensor tensor;
};

// What types offer as __dlpack_c_exchange_api__: functions that return 0, or -1 with a Python
// error. None of them synchronises: work goes to the current work stream.
struct ExchangeApi {
  using SetError = void (*)(void* context, const char* kind, const char* message);

  Version version;
  const ExchangeApi* previous;  // of an older major version; only its version may be read
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* context, SetError fail);
  int (*from_object)(void* object, ManagedTensorVersioned** out);
  int (*to_object)(ManagedTensorVersioned* tensor, void** out);
  int (*lend)(void* object, Tensor* out);  // for as long as the object lives; may be null
  int (*work_stream)(DeviceType type, int32_t id, void** out);
};

inline constexpr const char* kExchangeAttribute = "__dlpack_c_exchange_api__";
inline constexpr const char* kExchangeCapsule = "dlpack_exchange_api";

// The two kinds of capsule, by what they hold.
template <class Managed>
inline constexpr const char* kCapsuleName = nullptr;
template <>
inline constexpr const char* kCapsuleName<ManagedTensor> = "dltensor";
template <>
inline constexpr const char* kCapsuleName<ManagedTensorVersioned> = "dltensor_versioned";

template <class Managed>
inline constexpr const char* kUsedCapsuleName = nullptr;
template <>
inline constexpr const char* kUsedCapsuleName<ManagedTensor> = "used_dltensor";
template <>
inline constexpr const char* kUsedCapsuleName<ManagedTensorVersioned> = "used_dltensor_versioned";

DataType from_dtype(DType dtype);
// BufferError naming the type for one that is not supported.
DType to_dtype(DataType type);

// Memory that all devices see is of device 0.
DeviceId from_device(Device device, MemoryKind kind = MemoryKind::device);
struct Place {
  Device device;
  MemoryKind kind;
};
// Page-locked and managed memory are of the default CUDA device; without one, page-locked memory is
// the host's. BufferError for types of device that are not supported.
Place to_place(DeviceId device);
// Whose current stream work on such memory goes to.
Device work_device(const Place& place);
// Of the tuple of two ints that __dlpack_device__ returns.
DeviceId to_device_id(PyObject* pair, const char* what);
// BufferError naming both versions unless the layout is ours.
void require_version(Version version, const char* what);

}  // namespace gpuarray::py::dlpack
