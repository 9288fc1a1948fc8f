// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream.hpp"

#include "runtime/device.hpp"
#include "runtime/driver.hpp"
#include "runtime/memory.hpp"

namespace gpuarray {
namespace {

// An event in the current context for the scope; destroying it leaves what waits for it waiting.
class ScopedEvent {
 public:
  ScopedEvent() { GPUARRAY_CHECK(cuEventCreate(&handle_, CU_EVENT_DISABLE_TIMING)); }
  ~ScopedEvent() {
    quietly([&] { driver().cuEventDestroy(handle_); });
  }
  ScopedEvent(const ScopedEvent&) = delete;
  ScopedEvent& operator=(const ScopedEvent&) = delete;

  CUevent handle() const { return handle_; }

 private:
  CUevent handle_ = nullptr;
};

}  // namespace

Stream::~Stream() {
  if (!owned_ || device_.is_cpu()) return;
  // Work that is still queued on it is completed.
  quietly([&] {
    DeviceGuard on(device_);
    forget_stream(*this);
    driver().cuStreamDestroy(stream_handle(handle_));
  });
}

void Stream::synchronize() const {
  if (device_.is_cpu()) return;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamSynchronize(stream_handle(handle_)));
}

bool Stream::done() const {
  if (device_.is_cpu()) return true;
  DeviceGuard on(device_);
  CUresult status = driver().cuStreamQuery(stream_handle(handle_));
  if (status == CUDA_ERROR_NOT_READY) return false;
  check_driver(status, "cuStreamQuery", __FILE__, __LINE__);
  return true;
}

void Stream::wait_for(const Stream& other) const {
  if (other.device_.is_cpu()) return;
  if (device_.is_cpu()) return other.synchronize();
  if (device_ == other.device_ && handle_ == other.handle_) return;
  DeviceGuard on_other(other.device_);
  ScopedEvent event;
  GPUARRAY_CHECK(cuEventRecord(event.handle(), stream_handle(other.handle_)));
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamWaitEvent(stream_handle(handle_), event.handle(), 0));
}

StreamPtr create_stream(Device device, bool non_blocking, int priority) {
  if (device.is_cpu()) return current_stream(device);
  DeviceGuard on(device);
  CUstream handle = nullptr;
  unsigned int flags = non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
  GPUARRAY_CHECK(cuStreamCreateWithPriority(&handle, flags, priority));
  return std::make_shared<Stream>(device, reinterpret_cast<uintptr_t>(handle), true);
}

StreamPtr external_stream(Device device, uintptr_t handle) {
  require_device(device);
  if (device.is_cpu()) return current_stream(device);
  return std::make_shared<Stream>(device, handle, false);
}

}  // namespace gpuarray
