// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer.hpp"

#include "array/operand.hpp"
#include "array/ops.hpp"

namespace gpuarray::ops {
namespace {

bool is_contiguous(const Array& array, char order) {
  return order == 'F' ? array.is_f_contiguous() : array.is_c_contiguous();
}

Array through_host(const Array& source, Device device) {
  auto staging = empty(source.shape(), source.dtype(), Device::cpu());
  copy_to_host(source, staging.data(), 'C', true);
  Array target = empty(source.shape(), source.dtype(), device);
  copy_from_host(target, staging.data());
  return target;
}

Array to_peer(const Array& source, Device device) {
  Array packed = source.is_c_contiguous() ? source : copy(source);
  Array target = empty(source.shape(), source.dtype(), device);
  const StreamPtr& stream = current_stream(device);
  packed.buffer()->use_on(stream);
  copy_peer(target.data(), packed.data(), source.device(), source.nbytes(), *stream);
  return target;
}

}  // namespace

Array to_device(const Array& source, Device device) {
  if (source.device() == device) return copy(source);
  if (source.device().is_cpu() || device.is_cpu()) return through_host(source, device);
  return to_peer(source, device);
}

void copy_to_host(const Array& source, void* target, char order, bool blocking) {
  Array packed = is_contiguous(source, order) ? source : copy(source, order);
  Access access(current_stream(source.device()));
  copy_device_to_host(target, access.read(packed), source.nbytes(), *access.stream());
  if (blocking) access.stream()->synchronize();
}

void copy_from_host(const Array& target, const void* source) {
  if (!target.is_c_contiguous()) {
    Array packed = empty(target.shape(), target.dtype(), target.device());
    copy_from_host(packed, source);
    return assign(target, packed);
  }
  Access access(current_stream(target.device()));
  copy_host_to_device(access.write(target), source, target.nbytes(), *access.stream());
}

}  // namespace gpuarray::ops
