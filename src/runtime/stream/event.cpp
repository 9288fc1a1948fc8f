// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/event.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/noted_errors.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray {
namespace {

CUevent event_handle(uintptr_t handle) { return reinterpret_cast<CUevent>(handle); }

}  // namespace

Event::Event(Device device, Options options) : device_(device), options_(options) {
  require_device(device);
  if (options.interprocess && options.timing)
    throw ValueError("Event: interprocess events cannot measure time; pass timing=False");
  if (device.is_cpu()) return;
  unsigned int flags = CU_EVENT_DEFAULT;
  if (!options.timing) flags |= CU_EVENT_DISABLE_TIMING;
  if (options.blocking) flags |= CU_EVENT_BLOCKING_SYNC;
  if (options.interprocess) flags |= CU_EVENT_INTERPROCESS;
  DeviceGuard on(device);
  CUevent handle = nullptr;
  GPUARRAY_CHECK(cuEventCreate(&handle, flags));
  handle_ = reinterpret_cast<uintptr_t>(handle);
}

Event::Event(Device device, std::string ipc_handle)
    : device_(device),
      options_{.timing = false, .interprocess = true},
      ipc_handle_(std::move(ipc_handle)) {
  require_device(device);
  if (device.is_cpu()) throw DeviceError("Event: expected a CUDA device, got cpu");
  CUipcEventHandle given;
  if (ipc_handle_.size() != sizeof given.reserved)
    throw ValueError("Event: expected a handle of " + std::to_string(sizeof given.reserved) +
                     " bytes, got " + std::to_string(ipc_handle_.size()));
  std::memcpy(given.reserved, ipc_handle_.data(), sizeof given.reserved);
  DeviceGuard on(device);
  CUevent handle = nullptr;
  GPUARRAY_CHECK(cuIpcOpenEventHandle(&handle, given));
  handle_ = reinterpret_cast<uintptr_t>(handle);
  record_.number = 1;  // the other process has recorded it
}

Event::~Event() {
  if (handle_ == 0) return;
  std::optional<DeviceGuard> on;
  quietly([&] { on.emplace(device_); });
  quietly([&] { GPUARRAY_CALL(cuEventDestroy(event_handle(handle_))); });
}

std::string Event::ipc_handle() const {
  if (!options_.interprocess)
    throw ValueError("Event: only events made with interprocess=True are shared with processes");
  if (device_.is_cpu()) throw DeviceError("Event: events of cpu cannot be shared with processes");
  if (!ipc_handle_.empty()) return ipc_handle_;
  DeviceGuard on(device_);
  CUipcEventHandle shared;
  GPUARRAY_CHECK(cuIpcGetEventHandle(&shared, event_handle(handle_)));
  return {shared.reserved, sizeof shared.reserved};
}

void Event::record(const Stream& stream) {
  if (stream.device() != device_)
    throw DeviceError("Event.record: expected a stream of " + to_string(device_) + ", got one of " +
                      to_string(stream.device()));
  const BlockingLock recording(recording_);
  const Record before = last_record();
  Record record{.number = before.number + 1};
  if (!device_.is_cpu()) {
    DeviceGuard on(device_);
    record.recording = stream.recording();
    record.captured = stream.is_capturing();
    record.stream = stream.handle();
    const uint64_t launches = last_launch();
    set_record(record);  // who waits meanwhile learns nothing of launches
    const CUresult status =
        GPUARRAY_CALL(cuEventRecord(event_handle(handle_), stream_handle(stream.handle())));
    if (status != CUDA_SUCCESS) set_record(before);
    check_driver(status, "cuEventRecord", __FILE__, __LINE__);
    // Only what this process has queued before on this very stream is known to be done with the
    // event. That is not so if another process may record it, or the handle means several streams.
    const bool vague = record.captured || options_.interprocess || stream.is_per_thread();
    record.launches = vague ? 0 : launches;
  }
  record.time = Clock::now();
  set_record(std::move(record));
}

Event::Record Event::last_record() const {
  const LockGuard lock(lock_);
  return record_;
}

void Event::set_record(Record record) {
  const LockGuard lock(lock_);
  std::swap(record_, record);
}

void Event::Record::require_uncaptured(const char* what) const {
  if (captured)
    throw CaptureError(std::string(what) +
                       ": the event was recorded in a capture, where it stands for no time");
}

bool Event::done() const {
  if (device_.is_cpu()) return true;
  const Record record = last_record();
  record.require_uncaptured("Event.query");
  DeviceGuard on(device_);
  const CUresult status = GPUARRAY_CALL(cuEventQuery(event_handle(handle_)));
  if (status == CUDA_ERROR_NOT_READY) return false;
  check_driver(status, "cuEventQuery", __FILE__, __LINE__);
  note_work_done(record);
  raise_noted_errors(device_);
  return true;
}

void Event::synchronize() const {
  if (!device_.is_cpu()) synchronize(last_record());
}

void Event::synchronize(const Record& record) const {
  record.require_uncaptured("Event.synchronize");
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuEventSynchronize(event_handle(handle_)));
  note_work_done(record);
  raise_noted_errors(device_);
}

void Event::note_work_done(const Record& record) const {
  if (record.launches == 0) return;
  {
    const LockGuard lock(lock_);
    if (record_.number != record.number || record_.launches == 0) return;
    record_.launches = 0;
  }
  note_done(device_, record.stream, record.launches);
}

void Event::make_wait(const StreamPtr& stream) const {
  if (device_.is_cpu()) return;
  if (stream->device().is_cpu()) return synchronize();
  const Record record = last_record();
  if (const std::shared_ptr<Recording> recording = record.recording.lock())
    return recording->fork(stream, event_handle(handle_));
  record.require_uncaptured("Event.wait");
  if (stream->is_capturing())
    throw CaptureError("Event.wait: the event was recorded outside the capture");
  DeviceGuard on(stream->device());
  GPUARRAY_CHECK(cuStreamWaitEvent(stream_handle(stream->handle()), event_handle(handle_), 0));
}

double Event::elapsed_until(const Event& end) const {
  if (device_ != end.device_)
    throw DeviceError("Event.elapsed_time: the events are of " + to_string(device_) + " and " +
                      to_string(end.device_));
  if (!options_.timing || !end.options_.timing)
    throw ValueError("Event.elapsed_time: an event made with timing=False measures no time");
  const Record from = last_record(), to = end.last_record();
  if (from.number == 0 || to.number == 0)
    throw ValueError("Event.elapsed_time: an event was not recorded");
  if (device_.is_cpu())
    return std::chrono::duration<double, std::milli>(to.time - from.time).count();
  from.require_uncaptured("Event.elapsed_time");
  to.require_uncaptured("Event.elapsed_time");
  synchronize(from);
  end.synchronize(to);
  DeviceGuard on(device_);
  float milliseconds = 0;
  GPUARRAY_CHECK(
      cuEventElapsedTime(&milliseconds, event_handle(handle_), event_handle(end.handle_)));
  return milliseconds;
}

}  // namespace gpuarray
