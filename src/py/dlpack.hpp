// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>

#include "core/device.hpp"
#include "core/dtype.hpp"
#include "py/ref.hpp"
#include "runtime/memory_kind.hpp"

// DLPack's C structures (version 1.0), as dlpack.h lays them out.
namespace gpuarray::py::dlpack {

inline constexpr uint32_t kMajorVersion = 1;
inline constexpr uint32_t kMinorVersion = 0;

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

DeviceId from_device(Device device, MemoryKind kind = MemoryKind::device);
// Pinned host memory is of the cpu device, managed memory of the default CUDA device. BufferError
// for others.
Device to_device(DeviceId device);
// Of the tuple of two ints that __dlpack_device__ returns.
DeviceId to_device_id(PyObject* pair, const char* what);

}  // namespace gpuarray::py::dlpack
