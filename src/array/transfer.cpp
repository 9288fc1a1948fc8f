// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/transfer.hpp"

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "runtime/stream/device_memory.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::ops {
namespace {

// Bytes up to which a copy takes no longer than unlocking for other threads.
constexpr int64_t kQuickBytes = 64 << 10;

bool is_contiguous(const Array& array, char order) {
  return order == 'F' ? array.is_f_contiguous() : array.is_c_contiguous();
}

// Returns the memory of an array of the cpu device, where no work is ever pending.
HostBytes host_bytes(const Array& array) {
  Strides strides = array.strides();
  for (int64_t& stride : strides) stride *= array.itemsize();
  return {array.settle(), array.shape(), strides, array.itemsize()};
}

// Copies between the cpu device and a CUDA device.
Array across(const Array& source, Device device) {
  Array target = empty(source.shape(), source.dtype(), device);
  if (device.is_cpu())
    copy_to_host(source, {target.data(), target.nbytes()}, 'C', true);
  else
    copy_from_host(target, host_bytes(source));
  return target;
}

Array to_peer(const Array& source, Device device) {
  if (current_stream(source.device())->is_capturing() || current_stream(device)->is_capturing())
    throw CaptureError("to_device: a graph captures the work of one device");
  Array packed = source.is_c_contiguous() ? source : copy(source);
  Array target = empty(source.shape(), source.dtype(), device);
  Access access(current_stream(device));
  void* to = access.write(target);
  const void* from = access.read(packed);
  if (host_visible(packed.buffer()->kind()))  // memory at the same address on every device
    copy_device_to_device(to, from, source.nbytes(), *access.stream());
  else
    copy_peer(to, from, source.device(), source.nbytes(), *access.stream());
  return target;
}

}  // namespace

Array to_device(const Array& source, Device device) {
  if (source.device() == device) return copy(source);
  if (source.device().is_cpu() || device.is_cpu()) return across(source, device);
  return to_peer(source, device);
}

void copy_to_host(const Array& source, const HostBytes& target, char order, bool blocking) {
  refuse_wait(*current_stream(source.device()), "copying to the host");
  Array packed = is_contiguous(source, order) ? source : copy(source, order);
  Access access(current_stream(source.device()));
  const void* from = access.read(packed);
  access.unlock_for_host_work();
  copy_device_to_host(target, from, *access.stream(), blocking, packed.buffer()->kind());
}

void copy_from_host(const Array& target, const HostBytes& source, bool blocking) {
  if (!target.is_c_contiguous()) {
    Array packed = empty(target.shape(), target.dtype(), target.device());
    copy_from_host(packed, source, blocking);
    return assign(target, packed);
  }
  Access access(current_stream(target.device()));
  void* to = access.write(target);
  const MemoryKind kind = target.buffer()->kind();
  if (host_visible(kind) || source.nbytes() > kQuickBytes) access.unlock_for_host_work();
  copy_host_to_device(to, source, *access.stream(), blocking, kind);
}

void wait_on_host(const Array& array) {
  if (!array.device().is_cpu()) pending_stream(*array.buffer())->synchronize();
}

}  // namespace gpuarray::ops
