// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/stream.hpp"

#include <optional>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/main_stream.hpp"
#include "runtime/stream/noted_errors.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray {
namespace {

HeldAtFork& recording_mutex = *new HeldAtFork;  // guards Stream::recording_ of all streams
std::atomic<void (*)(const Stream&) noexcept> stream_end_hook = nullptr;

// Returns whether the work before an event is done; true for null. Its device must be current.
bool is_done(CUevent event) {
  if (event == nullptr) return true;
  const CUresult status = GPUARRAY_CALL(cuEventQuery(event));
  if (status == CUDA_ERROR_NOT_READY) return false;
  check_driver(status, "cuEventQuery", __FILE__, __LINE__);
  return true;
}

}  // namespace

uint64_t this_thread_number() {
  static std::atomic<uint64_t> last = 0;
  thread_local const uint64_t number = ++last;
  return number;
}

void set_stream_end_hook(void (*hook)(const Stream&) noexcept) { stream_end_hook = hook; }

Stream::~Stream() {
  if (device_.is_cpu() || driver_end.load() != nullptr) return;
  // Each step is done even if another fails. The hook comes first, because pools may use the stream
  // in other threads until then. The driver completes work that is still queued.
  if (auto* hook = stream_end_hook.load(); owned_ && hook != nullptr) hook(*this);
  const CUevent last_use = last_use_.load();
  if (last_use == nullptr && !owned_) return;
  std::optional<DeviceGuard> on;
  quietly([&] { on.emplace(device_); });
  if (last_use != nullptr) quietly([&] { GPUARRAY_CALL(cuEventDestroy(last_use)); });
  if (owned_) quietly([&] { GPUARRAY_CALL(cuStreamDestroy(stream_handle(handle_))); });
}

void Stream::synchronize() const {
  finish();
  raise_noted_errors(device_);
}

void Stream::finish() const {
  if (device_.is_cpu()) return;
  refuse_wait(*this, "Stream.synchronize");
  if (is_of_another_thread()) return finish_uses();
  const uint64_t unrecorded = unrecorded_use_;
  DeviceGuard on(device_);
  wait_for_work(*this);
  forget_unrecorded_use(unrecorded);
}

bool Stream::done() const {
  if (device_.is_cpu()) return true;
  refuse_wait(*this, "Stream.query");
  if (is_of_another_thread()) return uses_done();
  DeviceGuard on(device_);
  const CUresult status = GPUARRAY_CALL(cuStreamQuery(stream_handle(handle_)));
  if (status == CUDA_ERROR_NOT_READY) return false;
  check_driver(status, "cuStreamQuery", __FILE__, __LINE__);
  return true;
}

void Stream::wait_for(const Stream& other) const {
  if (other.device_.is_cpu()) return;
  if (device_.is_cpu()) return other.synchronize();
  if (device_ == other.device_ && handle_ == other.handle_ && !other.is_of_another_thread()) return;
  if (is_capturing())
    throw CaptureError(
        "work queued on a stream outside the capture cannot be waited for inside it");
  // For a stream that is being captured, last_use_ marks what was queued before the capture.
  const bool recorded = other.is_of_another_thread() || other.is_capturing();
  wait_for_event(recorded ? other.last_use_.load() : other.record_last_use());
}

void Stream::wait_for_uses(const Stream& other) const {
  if (!other.is_borrowed() || device_.is_cpu() || is_capturing()) return wait_for(other);
  if (other.unrecorded_use_ != 0) [[unlikely]]
    other.finish_uses();
  if (this != &other) wait_for_event(other.last_use_.load());
}

void Stream::finish_uses() const {
  if (device_.is_cpu()) return;
  if (!is_borrowed()) return finish();
  const uint64_t unrecorded = unrecorded_use_;
  DeviceGuard on(device_);
  if (unrecorded != 0) {
    wait_for_work(device_);
    forget_unrecorded_use(unrecorded);
  } else if (CUevent event = last_use_.load()) {
    GPUARRAY_CHECK(cuEventSynchronize(event));
  }
}

void Stream::forget_unrecorded_use(uint64_t number) const {
  // A later use may have been noted during the wait, which does not cover it.
  if (number != 0) unrecorded_use_.compare_exchange_strong(number, 0);
}

bool Stream::wait_or_block(const Stream& other) const noexcept {
  try {
    wait_for_uses(other);
    return true;
  } catch (...) {  // the driver ends, a capture is under way, or a call has failed
  }
  if (driver_end.load() != nullptr || gpuarray::is_capturing(device_)) return false;
  bool done = false;
  quietly([&] {
    blocking([&] { other.finish_uses(); });
    done = true;
  });
  return done;
}

void Stream::record_use_or_block() const noexcept {
  if (!is_borrowed() || is_capturing() || driver_end.load() != nullptr) return;
  static std::atomic<uint64_t> last_number = 0;
  try {
    // On another thread the handle means that thread's stream, which the use is not on.
    if (!is_of_another_thread()) {
      record_last_use();
      return;
    }
  } catch (...) {  // the driver ends, or a call has failed
  }
  unrecorded_use_ = ++last_number;
  quietly([&] { blocking([&] { finish(); }); });
}

bool Stream::uses_done() const {
  if (!is_borrowed()) return done();
  if (unrecorded_use_ != 0) return false;
  DeviceGuard on(device_);
  return is_done(last_use_.load());
}

void Stream::wait_for_event(CUevent event) const {
  if (event == nullptr) return;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamWaitEvent(stream_handle(handle_), event, 0));
}

std::shared_ptr<Recording> Stream::recording() const {
  if (!is_capturing()) return nullptr;
  const LockGuard lock(recording_mutex);
  return recording_.lock();
}

void Stream::set_recording(const std::shared_ptr<Recording>& recording) {
  if (recording != nullptr) record_last_use();
  const LockGuard lock(recording_mutex);
  recording_ = recording;
  capturing_ = recording != nullptr;
}

CUevent Stream::record_last_use() const {
  DeviceGuard on(device_);
  CUevent event = last_use_.load();
  if (event == nullptr) {
    GPUARRAY_CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CUevent made = nullptr;
    if (!last_use_.compare_exchange_strong(made, event)) {
      GPUARRAY_CALL(cuEventDestroy(event));
      event = made;
    }
  }
  GPUARRAY_CHECK(cuEventRecord(event, stream_handle(handle_)));
  return event;
}

int Stream::priority() const {
  int priority = 0;
  if (device_.is_cpu()) return priority;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamGetPriority(stream_handle(handle_), &priority));
  return priority;
}

bool Stream::is_non_blocking() const {
  unsigned int flags = CU_STREAM_NON_BLOCKING;
  if (device_.is_cpu()) return true;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuStreamGetFlags(stream_handle(handle_), &flags));
  return (flags & CU_STREAM_NON_BLOCKING) != 0;
}

void Stream::launch_host_function(void (*function)(void*), void* argument) const {
  if (device_.is_cpu()) return function(argument);
  if (is_capturing())
    throw CaptureError("Stream.launch_host_func: a graph cannot capture calls of Python");
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuLaunchHostFunc(stream_handle(handle_), function, argument));
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
  if (handle == CU_STREAM_PER_THREAD) return thread_stream(device);
  if (StreamPtr captured = capturing_stream(device, handle)) return captured;
  return std::make_shared<Stream>(device, handle, false);
}

}  // namespace gpuarray
