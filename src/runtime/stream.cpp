// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream.hpp"

#include <array>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"

namespace gpuarray {
namespace {

constexpr int kMaxDevices = 64;
constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDisableTiming = 2;

void* raw(const Stream& stream) { return reinterpret_cast<void*>(stream.handle()); }

const StreamPtr& cpu_stream() {
  static const auto& stream = *new StreamPtr(std::make_shared<Stream>(Device::cpu(), 0, false));
  return stream;
}

// Never destroyed, as buffers may outlive static objects.
const StreamPtr& main_stream(Device device) {
  static auto& streams = *new std::array<StreamPtr, kMaxDevices>;
  static auto& once = *new std::array<std::once_flag, kMaxDevices>;
  require_device(device);
  auto index = static_cast<size_t>(device.index);
  std::call_once(once[index], [&] { streams[index] = create_stream(device, false); });
  return streams[index];
}

struct ThreadStreams {
  StreamPtr cuda[kMaxDevices];
};
thread_local ThreadStreams thread_streams;

}  // namespace

Stream::~Stream() {
  if (!owned_) return;
  // The driver may be gone when the process ends; it frees the stream itself then.
  if (const Driver* table = find_driver()) table->cuStreamDestroy(raw(*this));
}

void Stream::synchronize() const {
  if (device_.is_cpu()) return;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamSynchronize(raw(*this)));
}

bool Stream::done() const {
  if (device_.is_cpu()) return true;
  DeviceGuard on(device_);
  int status = driver().cuStreamQuery(raw(*this));
  if (status == kCudaNotReady) return false;
  check_driver(status, "cuStreamQuery", __FILE__, __LINE__);
  return true;
}

void Stream::wait_for(const Stream& other) const {
  if (other.device_.is_cpu()) return;
  if (device_.is_cpu()) return other.synchronize();
  if (handle_ == other.handle_ && device_ == other.device_) return;
  DeviceGuard on(other.device_);
  void* event = nullptr;
  GPUARRAY_CHECK(cuEventCreate(&event, kEventDisableTiming));
  int status = driver().cuEventRecord(event, raw(other));
  if (status == kCudaSuccess) status = driver().cuStreamWaitEvent(raw(*this), event, 0);
  // The driver keeps the event until the wait is over.
  driver().cuEventDestroy(event);
  check_driver(status, "cuStreamWaitEvent", __FILE__, __LINE__);
}

StreamPtr create_stream(Device device, bool non_blocking, int priority) {
  if (device.is_cpu()) return cpu_stream();
  DeviceGuard on(device);
  void* handle = nullptr;
  GPUARRAY_CHECK(
      cuStreamCreateWithPriority(&handle, non_blocking ? kStreamNonBlocking : 0, priority));
  return std::make_shared<Stream>(device, reinterpret_cast<uintptr_t>(handle), true);
}

StreamPtr external_stream(Device device, uintptr_t handle) {
  if (device.is_cpu()) return cpu_stream();
  require_device(device);
  return std::make_shared<Stream>(device, handle, false);
}

const StreamPtr& current_stream(Device device) {
  if (device.is_cpu()) return cpu_stream();
  require_device(device);
  const StreamPtr& own = thread_streams.cuda[device.index];
  return own != nullptr ? own : main_stream(device);
}

StreamPtr set_current_stream(StreamPtr stream) {
  if (stream->device().is_cpu()) return cpu_stream();
  StreamPtr before = current_stream(stream->device());
  thread_streams.cuda[stream->device().index] = std::move(stream);
  return before;
}

}  // namespace gpuarray
