// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/transfer.hpp"

#include <cstring>
#include <memory>

#include "runtime/buffer/capture.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/page_locked.hpp"
#include "runtime/device/peer.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/device_memory.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/noted_errors.hpp"
#include "runtime/transfer/staging.hpp"

namespace gpuarray {
namespace {

// Up to this size a copy through the stack, which the driver has read on return, is cheaper than
// asking whether the source is page-locked.
constexpr int64_t kStackBytes = 4 << 10;

// Returns whether the driver knows the host memory, as page-locked or managed. Such memory is
// copied in stream order, other host memory before the call of the driver returns.
bool known_to_driver(const void* data) {
  unsigned int type = 0;
  // cuPointerGetAttributes gives 0 for other memory, where cuPointerGetAttribute would fail.
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void* values[] = {&type};
  GPUARRAY_CHECK(cuPointerGetAttributes(1, attributes, values, device_address(data)));
  return type != 0;
}

bool page_locked(const HostBytes& host) {
  return host.contiguous() && known_to_driver(host.data());
}

void queue_in(void* target, const void* source, int64_t nbytes, CUstream stream) {
  GPUARRAY_CHECK(
      cuMemcpyHtoDAsync(device_address(target), source, static_cast<size_t>(nbytes), stream));
}

void queue_out(void* target, const void* source, int64_t nbytes, CUstream stream) {
  GPUARRAY_CHECK(
      cuMemcpyDtoHAsync(target, device_address(source), static_cast<size_t>(nbytes), stream));
}

// Queues a copy between memory that the host sees on both sides.
void queue_between(void* target, const void* source, int64_t nbytes, CUstream stream) {
  GPUARRAY_CHECK(cuMemcpyAsync(device_address(target), device_address(source),
                               static_cast<size_t>(nbytes), stream));
}

// Copies on the host to packed memory; if the two overlap, through a buffer.
void read_on_host(const HostBytes& source, void* target) {
  const int64_t nbytes = source.nbytes();
  if (nbytes == 0) return;  // there may be no memory
  if (source.contiguous()) {
    std::memmove(target, source.data(), static_cast<size_t>(nbytes));
    return;
  }
  if (!source.overlaps(target, nbytes)) return source.read(target, 0, nbytes);
  auto packed = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(nbytes));
  source.read(packed.get(), 0, nbytes);
  std::memcpy(target, packed.get(), static_cast<size_t>(nbytes));
}

void write_on_host(const HostBytes& target, const void* source) {
  const int64_t nbytes = target.nbytes();
  if (nbytes == 0) return;  // there may be no memory
  if (target.contiguous()) {
    std::memmove(target.data(), source, static_cast<size_t>(nbytes));
    return;
  }
  if (!target.overlaps(source, nbytes)) return target.write(source, 0, nbytes);
  auto packed = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(nbytes));
  std::memcpy(packed.get(), source, static_cast<size_t>(nbytes));
  target.write(packed.get(), 0, nbytes);
}

// Copies through a page-locked slot and waits for the stream; returns false if there is no slot.
bool copy_small_out(const HostBytes& target, const void* source, const Stream& stream) {
  SmallSlot slot;
  if (slot.data() == nullptr) return false;
  queue_out(slot.data(), source, target.nbytes(), stream_handle(stream.handle()));
  try {
    wait_for_work(stream);
  } catch (...) {
    bool done = false;
    quietly([&] {
      stream.finish();
      done = true;
    });
    if (!done) slot.abandon();
    throw;
  }
  target.write(slot.data(), 0, target.nbytes());
  return true;
}

void copy_out(const HostBytes& target, const void* source, const Stream& stream, bool blocking,
              MemoryKind kind) {
  const int64_t nbytes = target.nbytes();
  const CUstream handle = stream_handle(stream.handle());
  if (host_visible(kind)) {
    if (!blocking && page_locked(target))
      return queue_between(target.data(), source, nbytes, handle);
    stream.finish();
    return write_on_host(target, source);
  }
  const bool small = nbytes <= SmallSlot::kBytes;
  if (small && blocking && copy_small_out(target, source, stream)) return;
  if (page_locked(target)) {
    queue_out(target.data(), source, nbytes, handle);
    if (blocking) wait_for_work(stream);
    return;
  }
  if (small && !blocking && copy_small_out(target, source, stream)) return;
  if (worth_staging(nbytes) && stage_out(target, source, stream)) return;
  // The driver returns from a copy to ordinary memory when it is done.
  const uint64_t up_to = last_launch();
  if (target.contiguous()) {
    queue_out(target.data(), source, nbytes, handle);
    return note_done(stream, up_to);
  }
  auto packed = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(nbytes));
  queue_out(packed.get(), source, nbytes, handle);
  note_done(stream, up_to);
  target.write(packed.get(), 0, nbytes);
}

}  // namespace

void copy_host_to_device(void* target, const HostBytes& source, const Stream& stream, bool blocking,
                         MemoryKind kind) {
  const int64_t nbytes = source.nbytes();
  if (nbytes == 0) return;
  if (stream.device().is_cpu()) return read_on_host(source, target);
  DeviceGuard on(stream.device());
  if (const std::shared_ptr<Capture> capture = capture_of(stream)) {
    // The graph cannot rely on the host memory's later content, so it copies what is there now.
    GraphMemory& memory = *capture->memory();
    void* constant = memory.allocate_for_good(nbytes);
    copy_host_to_device(constant, source, *memory.home());
    return copy_device_to_device(target, constant, nbytes, stream);
  }
  const CUstream handle = stream_handle(stream.handle());
  if (host_visible(kind)) {
    if (!blocking && page_locked(source))
      return queue_between(target, source.data(), nbytes, handle);
    stream.synchronize();
    return read_on_host(source, target);
  }
  if (nbytes <= kStackBytes) {
    char packed[kStackBytes];
    source.read(packed, 0, nbytes);
    return queue_in(target, packed, nbytes, handle);
  }
  if (page_locked(source)) {
    queue_in(target, source.data(), nbytes, handle);
    if (blocking) stream.synchronize();
    return;
  }
  if (worth_staging(nbytes) && stage_in(target, source, stream)) return;
  if (source.contiguous()) return queue_in(target, source.data(), nbytes, handle);
  auto packed = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(nbytes));
  source.read(packed.get(), 0, nbytes);
  queue_in(target, packed.get(), nbytes, handle);
}

void copy_device_to_host(const HostBytes& target, const void* source, const Stream& stream,
                         bool blocking, MemoryKind kind) {
  if (stream.device().is_cpu()) return write_on_host(target, source);
  if (target.nbytes() == 0) {
    // Nothing is copied, but the caller learns of failed work, as with any other copy.
    if (blocking) stream.synchronize();
    return;
  }
  DeviceGuard on(stream.device());
  copy_out(target, source, stream, blocking, kind);
  if (blocking) raise_noted_errors(stream.device());
}

void copy_peer(void* target, const void* source, Device source_device, int64_t nbytes,
               const Stream& stream) {
  if (nbytes == 0) return;
  // If there is no peer access, the driver stages the copy.
  open_peer(stream.device(), source_device);
  DeviceGuard on(stream.device());
  GPUARRAY_CHECK(
      cuMemcpyPeerAsync(device_address(target), primary_context(stream.device().index).handle,
                        device_address(source), primary_context(source_device.index).handle,
                        static_cast<size_t>(nbytes), stream_handle(stream.handle())));
}

}  // namespace gpuarray
