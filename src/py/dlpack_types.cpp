// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <string>

#include "core/error.hpp"
#include "py/convert.hpp"
#include "py/dlpack.hpp"
#include "runtime/device.hpp"

namespace gpuarray::py::dlpack {
namespace {

TypeCode type_code(DType dtype) {
  if (dtype == DType::bfloat16) return kBfloat;
  switch (kind(dtype)) {
    case 'b':
      return kBool;
    case 'i':
      return kInt;
    case 'u':
      return kUInt;
    case 'c':
      return kComplex;
    default:
      return kFloat;
  }
}

}  // namespace

DataType from_dtype(DType dtype) {
  return {type_code(dtype), static_cast<uint8_t>(8 * itemsize(dtype)), 1};
}

DType to_dtype(DataType type) {
  for (int index = 0; index < kDTypeCount; ++index) {
    const DType dtype = static_cast<DType>(index);
    const DataType known = from_dtype(dtype);
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return dtype;
  }
  throw BufferError("from_dlpack: data type (code " + std::to_string(type.code) + ", bits " +
                    std::to_string(type.bits) + ", lanes " + std::to_string(type.lanes) +
                    ") is not supported");
}

DeviceId from_device(Device device, MemoryKind kind) {
  if (kind == MemoryKind::pinned) return {kCudaHost, 0};
  if (kind == MemoryKind::managed) return {kCudaManaged, device.index};
  return device.is_cpu() ? DeviceId{kCpu, 0} : DeviceId{kCuda, device.index};
}

Device to_device(DeviceId device) {
  switch (device.type) {
    case kCpu:
    case kCudaHost:
      return Device::cpu();
    case kCuda:
      return Device::cuda(device.id);
    case kCudaManaged: {
      const Device current = default_device();
      return current.is_cpu() ? Device::cuda(0) : current;
    }
    default:
      throw BufferError(
          "from_dlpack: device type " + std::to_string(device.type) +
          " is not supported, expected cpu (1), CUDA (2), pinned (3) or managed (13)");
  }
}

DeviceId to_device_id(PyObject* pair, const char* what) {
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
    throw TypeError(std::string(what) + ": expected a tuple (device_type, device_id), got " +
                    type_name(pair));
  return {static_cast<int32_t>(to_int64(PyTuple_GetItem(pair, 0))),
          static_cast<int32_t>(to_int64(PyTuple_GetItem(pair, 1)))};
}

}  // namespace gpuarray::py::dlpack
