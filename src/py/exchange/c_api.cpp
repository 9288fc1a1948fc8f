// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The functions of gpuarray.h, where their contracts are stated.
#include <algorithm>
#include <memory>
#include <string>

#define GPUARRAY_NO_IMPORT
#include "gpuarray/include/gpuarray.h"
//
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/stream_object.hpp"
#include "py/device/opened_arrays.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/device/device.hpp"

struct GPUArrayAccess : gpuarray::py::OpenedArrays {
  using OpenedArrays::OpenedArrays;
};

namespace gpuarray::py {
namespace {

static_assert(GPUARRAY_MAX_DIMS == kMaxDims);
static_assert(static_cast<int>(DType::bool_) == GPUARRAY_BOOL);
static_assert(static_cast<int>(DType::uint8) == GPUARRAY_UINT8);
static_assert(static_cast<int>(DType::bfloat16) == GPUARRAY_BFLOAT16);
static_assert(static_cast<int>(DType::complex128) == GPUARRAY_COMPLEX128);
static_assert(kDTypeCount == GPUARRAY_COMPLEX128 + 1, "each dtype has a number in gpuarray.h");

constexpr const char* kName = "gpuarray.h";

bool is_dtype(int dtype) { return dtype >= 0 && dtype < kDTypeCount; }

DType checked_dtype(int dtype) {
  if (!is_dtype(dtype)) throw TypeError("gpuarray.h: " + std::to_string(dtype) + " is no dtype");
  return static_cast<DType>(dtype);
}

Device checked_device(GPUArrayDevice given) {
  if (given.kind != GPUARRAY_CPU && given.kind != GPUARRAY_CUDA)
    throw DeviceError("gpuarray.h: " + std::to_string(given.kind) + " is no kind of device");
  const Device device = given.kind == GPUARRAY_CPU ? Device::cpu() : Device::cuda(given.index);
  require_device(device);
  return device;
}

GPUArrayDevice as_c(Device device) {
  return {device.is_cpu() ? GPUARRAY_CPU : GPUARRAY_CUDA, device.index};
}

Dims checked_dims(int ndim, const int64_t* values) {
  if (ndim < 0 || ndim > kMaxDims)
    throw ValueError("gpuarray.h: expected 0 to " + std::to_string(kMaxDims) + " dimensions, got " +
                     std::to_string(ndim));
  Dims dims;
  for (int axis = 0; axis < ndim; ++axis) dims.push_back(values[axis]);
  return dims;
}

Shape checked_shape(int ndim, const int64_t* values) {
  const Shape shape = checked_dims(ndim, values);
  for (int64_t extent : shape)
    if (extent < 0)
      throw ValueError("gpuarray.h: negative dimensions are not allowed, got " + to_string(shape));
  return shape;
}

const char* dtype_name(int dtype) {
  return is_dtype(dtype) ? name(static_cast<DType>(dtype)) : nullptr;
}

void view(PyObject* object, GPUArrayView* result) {
  const Array& array = require_array(object, kName);
  array.buffer()->lend();
  result->data = array.data();
  result->device = as_c(array.device());
  result->dtype = static_cast<int>(array.dtype());
  result->itemsize = array.itemsize();
  result->flags = (array.writable() ? GPUARRAY_WRITABLE : 0) |
                  (array.is_c_contiguous() ? GPUARRAY_C_CONTIGUOUS : 0) |
                  (array.is_f_contiguous() ? GPUARRAY_F_CONTIGUOUS : 0);
  result->ndim = array.ndim();
  result->size = array.size();
  for (int axis = 0; axis < array.ndim(); ++axis) {
    result->shape[axis] = array.shape()[axis];
    result->strides[axis] = array.strides()[axis] * array.itemsize();
  }
}

Ref new_from_c(int ndim, const int64_t* shape, int dtype, GPUArrayDevice device) {
  return new_array(
      ops::empty(checked_shape(ndim, shape), checked_dtype(dtype), checked_device(device)));
}

Ref wrap(const GPUArrayView* given, PyObject* owner) {
  if (owner == nullptr) throw ValueError("gpuarray.h: memory without an owner");
  ForeignMemory memory;
  memory.data = given->data;
  memory.device = checked_device(given->device);
  memory.dtype = checked_dtype(given->dtype);
  memory.shape = checked_shape(given->ndim, given->shape);
  memory.strides = checked_dims(given->ndim, given->strides);
  for (int64_t& stride : memory.strides) stride = to_stride(kName, stride, itemsize(memory.dtype));
  memory.readonly = (given->flags & GPUARRAY_WRITABLE) == 0;
  if (memory.data == nullptr && element_count(memory.shape) > 0)
    throw ValueError("gpuarray.h: the address is 0");
  return new_array(borrow_array(memory, kName, keep_alive(owner)), owner);
}

Ref stream(GPUArrayDevice given, uintptr_t handle) {
  const Device device = checked_device(given);
  return new_stream(external_stream(device, handle));
}

GPUArrayAccess* open(const GPUArrayUse* uses, int count, PyObject* stream,
                     uintptr_t* handle) noexcept try {
  enter();
  std::vector<ArrayUse> used;
  for (const GPUArrayUse* use = uses; use < uses + count; ++use)
    used.push_back({use->array, use->writes != 0});
  auto access = std::make_unique<GPUArrayAccess>(used, stream, kName);
  if (handle != nullptr) *handle = access->stream()->handle();
  return access.release();
} catch (...) {
  set_python_error();
  return nullptr;
}

void close(GPUArrayAccess* access) noexcept { delete access; }

GPUArrayDevice default_from_c() noexcept { return as_c(default_device()); }

GPUArrayAPI api = {
    .major = GPUARRAY_API_MAJOR,
    .minor = GPUARRAY_API_MINOR,
    .type = nullptr,
    .dtype_name = dtype_name,
    .view = Slot<view>::call,
    .new_array = Slot<new_from_c>::call,
    .wrap = Slot<wrap>::call,
    .default_device = default_from_c,
    .stream = Slot<stream>::call,
    .open = open,
    .close = close,
};

}  // namespace

void add_c_api(PyObject* module) {
  api.type = array_type;
  const Ref capsule = checked(PyCapsule_New(&api, GPUARRAY_API_NAME, nullptr));
  checked_status(PyModule_AddObjectRef(module, "__c_api__", capsule.get()));
}

}  // namespace gpuarray::py
