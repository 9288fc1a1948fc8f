// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "py/binding/ref.hpp"
#include "runtime/device/memory_kind.hpp"

// DLPack's C structures (version 1.3), laid out as in dlpack.h, and conversions to them.
namespace gpuarray::py::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 3;

// Bits of ManagedTensorVersioned::flags.
inline constexpr uint64_t kReadOnly = 1;
inline constexpr uint64_t kIsCopied = 2;  // the producer made a copy for the consumer

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

// DLPackExchangeAPI: the table of functions that a type offers as __dlpack_c_exchange_api__, with
// the names that dlpack.h gives them. Each returns 0, or -1 with a Python error set. None of them
// synchronises: the caller orders its work with the producer's current work stream.
struct ExchangeApi {
  using SetError = void (*)(void* context, const char* kind, const char* message);

  Version version;
  // The table of an older major version, or null. The layout behind its version is that version's.
  const ExchangeApi* previous;
  int (*managed_tensor_allocator)(Tensor* prototype, ManagedTensorVersioned** out, void* context,
                                  SetError fail);
  int (*managed_tensor_from_py_object_no_sync)(void* object, ManagedTensorVersioned** out);
  int (*managed_tensor_to_py_object_no_sync)(ManagedTensorVersioned* tensor, void** out);
  // The tensor is valid while the object lives. The function may be null.
  int (*dltensor_from_py_object_no_sync)(void* object, Tensor* out);
  int (*current_work_stream)(DeviceType type, int32_t id, void** out);
};

inline constexpr const char* kExchangeAttribute = "__dlpack_c_exchange_api__";
inline constexpr const char* kExchangeCapsule = "dlpack_exchange_api";

// The name of a capsule that holds a tensor, and the name that its consumer gives it instead.
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
// Throws BufferError, which names the type, if no dtype corresponds to it.
DType to_dtype(DataType type);

// Returns the DLPack device of memory. Page-locked and managed memory are given as of device 0,
// since all devices see them.
DeviceId from_device(Device device, MemoryKind kind = MemoryKind::device);
// Where memory lies, and of what kind it is.
struct Place {
  Device device;
  MemoryKind kind;
};
// Returns the place of memory on a DLPack device. Page-locked and managed memory are taken as of
// the default CUDA device; without a CUDA device, page-locked memory is ordinary host memory.
// Throws BufferError for other types of device.
Place to_place(DeviceId device);
// Returns the device on whose current stream work on such memory is queued.
Device work_device(const Place& place);
// Converts the (device_type, device_id) that __dlpack_device__ returns. Throws TypeError, or
// ValueError beyond int32, naming `what`.
DeviceId to_device_id(PyObject* pair, const char* what);
// Throws BufferError unless the major version, which determines the layout, is kMajorVersion.
void require_version(Version version, const char* what);

}  // namespace gpuarray::py::dlpack
