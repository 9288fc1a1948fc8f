// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Functions of streams, events and host functions.
#include <algorithm>

#include "call.hpp"
#include "capture.hpp"

using namespace model;

namespace {

constexpr unsigned kNoTiming = 2, kInterprocess = 4;

Status create_stream(Call& call, Handle* handle, unsigned flags, int priority) {
  if (flags > 1) return kInvalidValue;
  *handle = make_stream(call.device, flags, std::clamp(priority, -5, 0))->handle;
  return kSuccess;
}

Status synchronize(Call& call, const StreamPtr& stream) {
  if (stream == nullptr) return kInvalidHandle;
  if (Status status = forbidden_on(*stream)) return status;
  finish_stream(call.held, stream);
  return sticky(stream->device);
}

Status query(Call& call, const StreamPtr& stream) {
  if (stream == nullptr) return kInvalidHandle;
  if (Status status = forbidden_on(*stream)) return status;
  if (stream->last == nullptr || stream->last->done) return sticky(stream->device);
  progress(call.held, stream->last);
  return kNotReady;
}

Status record(Call& call, Handle event_handle, Handle stream_handle) {
  const EventPtr event = find_event(event_handle);
  const StreamPtr stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return kInvalidHandle;
  if (event->device != stream->device) return kInvalidHandle;
  if (stream->legacy)
    if (Status status = forbidden_on(*stream)) return status;
  event->capture = stream->capture;
  event->nodes = stream->tails;
  if (stream->capture == nullptr)
    event->recorded = enqueue(call.held, stream, Kind::record, [] { return kSuccess; });
  if (event->flags & kInterprocess) finish(call.held, event->recorded);
  return kSuccess;
}

Status wait(Call& call, Handle stream_handle, Handle event_handle) {
  const EventPtr event = find_event(event_handle);
  const StreamPtr stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return kInvalidHandle;
  if (event->capture != nullptr && stream->legacy) return kCaptureImplicit;
  if (event->capture != nullptr || stream->capture != nullptr)
    return wait_in_capture(stream, *event);
  if (event->recorded == nullptr || event->recorded->done) return kSuccess;
  enqueue(call.held, stream, Kind::wait, [] { return kSuccess; }, {event->recorded});
  return kSuccess;
}

// Returns whether the event is done, as cuEventQuery. An event of a capture cannot be asked; one
// that was never recorded counts as done.
Status event_state(const EventPtr& event) {
  if (event == nullptr) return kInvalidHandle;
  if (event->capture != nullptr) return kCapturedEvent;
  if (event->recorded == nullptr || event->recorded->done) return sticky(event->device);
  return kNotReady;
}

Status query_event(Call& call, const EventPtr& event) {
  const Status status = event_state(event);
  if (status == kNotReady) progress(call.held, event->recorded);
  return status;
}

Status synchronize_event(Call& call, const EventPtr& event) {
  const Status status = event_state(event);
  if (status != kNotReady) return status;
  finish(call.held, event->recorded);
  return sticky(event->device);
}

Status elapsed(float* milliseconds, const EventPtr& start, const EventPtr& end) {
  if (start == nullptr || end == nullptr) return kInvalidHandle;
  if (start->recorded == nullptr || end->recorded == nullptr) return kInvalidHandle;
  if ((start->flags | end->flags) & kNoTiming) return kInvalidHandle;
  for (const EventPtr& event : {start, end})
    if (Status status = event_state(event)) return status;
  const auto passed = end->recorded->when - start->recorded->when;
  *milliseconds = std::chrono::duration<float, std::milli>(passed).count();
  return kSuccess;
}

Status call_host(Call& call, const StreamPtr& stream, void (*function)(void*), void* data) {
  if (stream == nullptr) return kInvalidHandle;
  enqueue(call.held, stream, Kind::host, [=] {
    function(data);
    return kSuccess;
  });
  return kSuccess;
}

template <class T>
Status tell(const StreamPtr& stream, T* value, T (*what)(const Stream&)) {
  if (stream == nullptr) return kInvalidHandle;
  *value = what(*stream);
  return kSuccess;
}

}  // namespace

MODEL(cuStreamCreate, (Handle * stream, unsigned flags), ENTER;
      return create_stream(call, stream, flags, 0))
MODEL(cuStreamCreateWithPriority, (Handle * stream, unsigned flags, int priority), ENTER;
      return create_stream(call, stream, flags, priority))
MODEL(cuStreamDestroy, (Handle stream), Lock held = lock();
      return drop_stream(stream) ? kSuccess : kInvalidHandle)
MODEL(cuStreamSynchronize, (Handle stream), ENTER; return synchronize(call, find_stream(stream)))
MODEL(cuStreamQuery, (Handle stream), ENTER; return query(call, find_stream(stream)))
MODEL(cuStreamWaitEvent, (Handle stream, Handle event, unsigned), ENTER;
      return wait(call, stream, event))
MODEL(cuStreamGetPriority, (Handle stream, int* priority), ENTER;
      return tell<int>(find_stream(stream), priority, [](const Stream& s) { return s.priority; }))
MODEL(cuStreamGetFlags, (Handle stream, unsigned* flags), ENTER;
      return tell<unsigned>(find_stream(stream), flags, [](const Stream& s) { return s.flags; }))
MODEL(cuStreamGetCtx, (Handle stream, Handle* context), ENTER;
      return tell<Handle>(find_stream(stream), context,
                          [](const Stream& s) { return static_cast<Handle>(s.device) + 1; }))
MODEL(cuStreamGetId, (Handle stream, unsigned long long* id), ENTER;
      return tell<unsigned long long>(find_stream(stream), id, [](const Stream& s) {
        return static_cast<unsigned long long>(s.id);
      }))
MODEL(cuLaunchHostFunc, (Handle stream, void (*function)(void*), void* data), ENTER;
      return call_host(call, find_stream(stream), function, data))

MODEL(cuEventCreate, (Handle * event, unsigned flags), ENTER;
      *event = make_event(call.device, flags)->handle; return kSuccess)
MODEL(cuEventRecord, (Handle event, Handle stream), ENTER; return record(call, event, stream))
MODEL(cuEventQuery, (Handle event), ENTER; return query_event(call, find_event(event)))
MODEL(cuEventSynchronize, (Handle event), ENTER; return synchronize_event(call, find_event(event)))
MODEL(cuEventElapsedTime, (float* milliseconds, Handle start, Handle end), Lock held = lock();
      return elapsed(milliseconds, find_event(start), find_event(end)))
MODEL(cuEventDestroy, (Handle event), Lock held = lock();
      return drop_event(event) ? kSuccess : kInvalidHandle)
