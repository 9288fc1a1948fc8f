// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// The recording of a stream's work for a graph, as far as streams have to know of it. The class
// Capture (runtime/buffer/capture.hpp) implements it.
#pragma once

#include <memory>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Records the work of one or more streams for a graph.
class Recording {
 public:
  virtual ~Recording() = default;
  // Makes `later` part of the recording; its later work runs after what `earlier` has queued.
  // Throws CaptureError if `later` is part of another recording or cannot be captured.
  virtual void fork(const StreamPtr& later, const Stream& earlier) = 0;
  // Makes `later` part of the recording; its later work runs after an event that was recorded on
  // one of the recording's streams. Throws as the other.
  virtual void fork(const StreamPtr& later, CUevent earlier) = 0;
};

// Begin and end the recording of a stream: they set the stream's recording() and list it for the
// functions below. Thread-safe.
void begin_recording(const StreamPtr& stream, const std::shared_ptr<Recording>& recording);
void end_recording(const StreamPtr& stream);

// Returns the stream of this handle that is being captured, null if none is.
StreamPtr capturing_stream(Device device, uintptr_t handle);
// Returns whether a graph is being captured on the device, by any thread.
bool is_capturing(Device device);

// Makes later work on `later` run after what is queued on `earlier` now. If `earlier` is being
// captured, `later` joins the capture. Throws CaptureError where it cannot.
void wait_for_stream(const StreamPtr& later, const StreamPtr& earlier);

// Throws CaptureError "<what>: waits for the device, ..." if the stream is being captured.
void refuse_wait(const Stream& stream, const char* what);

}  // namespace gpuarray
