// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <string>

#include "core/error.hpp"
#include "py/convert/convert.hpp"
#include "py/exchange/dlpack.hpp"
#include "runtime/device/device.hpp"

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
  static const auto known = [] {
    std::array<DataType, kDTypeCount> all;
    for (int index = 0; index < kDTypeCount; ++index) all[index] = from_dtype(DType(index));
    return all;
  }();
  for (int index = 0; index < kDTypeCount; ++index)
    if (known[index].code == type.code && known[index].bits == type.bits && type.lanes == 1)
      return DType(index);
  throw BufferError("DLPack: data type (code " + std::to_string(type.code) + ", bits " +
                    std::to_string(type.bits) + ", lanes " + std::to_string(type.lanes) +
                    ") is not supported");
}

DeviceId from_device(Device device, MemoryKind kind) {
  if (kind == MemoryKind::pinned) return {kCudaHost, 0};
  if (kind == MemoryKind::managed) return {kCudaManaged, 0};
  return device.is_cpu() ? DeviceId{kCpu, 0} : DeviceId{kCuda, device.index};
}

Place to_place(DeviceId device) {
  switch (device.type) {
    case kCpu:
      return {Device::cpu(), MemoryKind::host};
    case kCudaHost:
      if (cuda_device_count() == 0) return {Device::cpu(), MemoryKind::host};
      return {default_cuda_device(), MemoryKind::pinned};
    case kCuda:
      return {Device::cuda(device.id), MemoryKind::device};
    case kCudaManaged:
      return {device.id > 0 ? Device::cuda(device.id) : default_cuda_device(), MemoryKind::managed};
    default:
      throw BufferError(
          "DLPack: device type " + std::to_string(device.type) +
          " is not supported, expected cpu (1), CUDA (2), pinned (3) or managed (13)");
  }
}

Device work_device(const Place& place) {
  const bool is_shared = place.kind == MemoryKind::pinned || place.kind == MemoryKind::managed;
  return is_shared ? default_cuda_device() : place.device;
}

DeviceId to_device_id(PyObject* pair, const char* what) {
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2)
    throw TypeError(std::string(what) + ": expected a tuple (device_type, device_id), got " +
                    type_name(pair));
  int32_t codes[2];
  for (Py_ssize_t at = 0; at < 2; ++at) {
    PyObject* code = PyTuple_GetItem(pair, at);
    if (!PyIndex_Check(code))
      throw TypeError(std::string(what) + ": expected a tuple of two ints, got " + type_name(code) +
                      " in it");
    const int64_t value = to_int64(code);
    codes[at] = static_cast<int32_t>(value);
    if (codes[at] != value)
      throw ValueError(std::string(what) + ": " + std::to_string(value) + " is out of range");
  }
  return {codes[0], codes[1]};
}

void require_version(Version version, const char* what) {
  if (version.major == kMajorVersion) return;
  throw BufferError(std::string(what) + ": the tensor is of DLPack " +
                    std::to_string(version.major) + "." + std::to_string(version.minor) +
                    ", which is not supported; expected " + std::to_string(kMajorVersion) + "." +
                    std::to_string(kMinorVersion) + " or another 1.x");
}

}  // namespace gpuarray::py::dlpack
