// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/capture.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

void require_capturable(const StreamPtr& stream) {
  if (stream->is_capturing()) throw CaptureError("capture: the stream is being captured already");
  if (stream == main_stream(stream->device()) || stream->is_per_thread() ||
      stream->handle() <= CU_STREAM_LEGACY)
    throw CaptureError("capture: default streams cannot be captured; pass a Stream, or none");
}

}  // namespace

std::shared_ptr<Capture> Capture::begin(StreamPtr origin) {
  require_capturable(origin);
  refuse_foreign_capture(*origin);
  const Device device = origin->device();
  DeviceGuard on(device);
  std::shared_ptr<Capture> capture(new Capture(std::move(origin)));
  capture->memory_ = std::make_shared<GraphMemory>(current_resource(device), device);
  GPUARRAY_CHECK(cuEventCreate(&capture->event_, CU_EVENT_DISABLE_TIMING));
  BufferAccess submission(capture->origin_);
  submission.exclude_others();  // a stream that came to wait for this one would be captured too
  begin_recording(capture->origin_, capture);
  const CUresult status = GPUARRAY_CALL(cuStreamBeginCapture(
      stream_handle(capture->origin_->handle()), CU_STREAM_CAPTURE_MODE_RELAXED));
  if (status != CUDA_SUCCESS) {
    end_recording(capture->origin_);
    check_driver(status, "cuStreamBeginCapture", __FILE__, __LINE__);
  }
  capture->memory_->begin(capture);
  const BlockingLock lock(capture->mutex_);
  capture->active_ = true;
  return capture;
}

Capture::~Capture() {
  if (driver_end.load() != nullptr) return;  // locks may be held for ever
  const bool active = active_;
  quietly([&] {
    if (CUgraph graph = active ? finish() : nullptr) GPUARRAY_CALL(cuGraphDestroy(graph));
  });
  if (CUevent event = event_) quietly([&] { GPUARRAY_CALL(cuEventDestroy(event)); });
}

CUgraph Capture::end() {
  const BufferAccess submission(origin_);  // waits for operations, so that none is half captured
  return finish();
}

CUgraph Capture::finish() {
  const BlockingLock lock(mutex_);
  active_ = false;
  memory_->end();
  CUgraph graph = nullptr;
  CUresult status = CUDA_SUCCESS;
  quietly([&]() NO_THREAD_SAFETY_ANALYSIS {  // runs under the lock above
    DeviceGuard on(origin_->device());
    for (const StreamPtr& stream : joined_)
      quietly([&]() NO_THREAD_SAFETY_ANALYSIS { wait(*origin_, *stream); });
    status = GPUARRAY_CALL(cuStreamEndCapture(stream_handle(origin_->handle()), &graph));
  });
  end_recording(origin_);
  for (const StreamPtr& stream : joined_) end_recording(stream);
  check_driver(status, "cuStreamEndCapture", __FILE__, __LINE__);
  return graph;
}

std::vector<Capture::Use> Capture::take_uses() {
  const BlockingLock lock(mutex_);
  std::vector<Use> uses;
  for (auto& [buffer, order] : orders_) uses.push_back(std::move(order.use));
  orders_.clear();
  made_.clear();
  return uses;
}

std::vector<std::shared_ptr<const void>> Capture::take_kept() {
  const BlockingLock lock(mutex_);
  return std::move(kept_);
}

void Capture::keep(std::shared_ptr<const void> needed) {
  const BlockingLock lock(mutex_);
  if (needed != nullptr && std::ranges::find(kept_, needed) == kept_.end())
    kept_.push_back(std::move(needed));
}

void Capture::wait(const Stream& later, const Stream& earlier) {
  if (&later == &earlier) return;
  CUevent event = event_;
  GPUARRAY_CHECK(cuEventRecord(event, stream_handle(earlier.handle())));
  GPUARRAY_CHECK(cuStreamWaitEvent(stream_handle(later.handle()), event, 0));
}

void Capture::use(Buffer& buffer, const StreamPtr& stream, bool writes) {
  const BlockingLock lock(mutex_);
  DeviceGuard on(stream->device());
  const auto [entry, is_new] = orders_.try_emplace(&buffer);
  Order& order = entry->second;
  if (is_new) order.use.kept = buffer.shared_from_this();
  order.use.writes = order.use.writes || writes;
  const bool has_read = std::ranges::find(order.readers, stream) != order.readers.end();
  if (order.writer != nullptr && (writes || !has_read)) wait(*stream, *order.writer);
  if (!writes) {
    if (!has_read && stream != order.writer) order.readers.push_back(stream);
    return;
  }
  for (const StreamPtr& reader : order.readers) wait(*stream, *reader);
  order.readers.clear();
  order.writer = stream;
}

void Capture::add_made(const BufferPtr& buffer, const StreamPtr& stream) {
  const BlockingLock lock(mutex_);
  Order& order = orders_[buffer.get()];
  order.use.made = buffer;
  order.writer = stream;
  if (buffer->address() != nullptr) made_[buffer->address()] = buffer.get();
}

StreamPtr Capture::forget(const void* data) {
  const BlockingLock lock(mutex_);
  const auto made = made_.find(data);
  if (made == made_.end()) return nullptr;
  const auto entry = orders_.find(made->second);
  DeviceGuard on(origin_->device());
  const Order order = std::move(entry->second);
  made_.erase(made);
  orders_.erase(entry);
  for (const StreamPtr& reader : order.readers) wait(*order.writer, *reader);
  return order.writer;
}

void Capture::join(const StreamPtr& stream) {
  const std::shared_ptr<Recording> other = stream->recording();
  if (other.get() == this) return;
  if (other != nullptr)
    throw CaptureError(
        "wait: the streams are part of two captures, which cannot wait for each other");
  if (!active_) throw CaptureError("wait: the capture has ended");
  if (stream->device() != origin_->device())
    throw CaptureError("wait: expected a stream of " + to_string(origin_->device()) +
                       ", which is captured, got one of " + to_string(stream->device()));
  require_capturable(stream);
  begin_recording(stream, shared_from_this());
  joined_.push_back(stream);
}

void Capture::fork(const StreamPtr& later, const Stream& earlier) {
  const BlockingLock lock(mutex_);
  DeviceGuard on(later->device());
  join(later);
  wait(*later, earlier);
}

void Capture::fork(const StreamPtr& later, CUevent earlier) {
  const BlockingLock lock(mutex_);
  DeviceGuard on(later->device());
  join(later);
  GPUARRAY_CHECK(cuStreamWaitEvent(stream_handle(later->handle()), earlier, 0));
}

void refuse_foreign_capture(const Stream& stream) {
  if (stream.owned() || stream.is_capturing() || stream.handle() <= CU_STREAM_LEGACY) return;
  DeviceGuard on(stream.device());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  GPUARRAY_CHECK(cuStreamIsCapturing(stream_handle(stream.handle()), &status));
  if (status == CU_STREAM_CAPTURE_STATUS_NONE) return;
  throw CaptureError(
      "the stream is being captured by another library, whose graph cannot own memory of gpuarray; "
      "capture with gpuarray.capture()");
}

}  // namespace gpuarray
