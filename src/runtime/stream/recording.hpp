// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// What a stream knows of the graph that its work is recorded for; runtime/buffer/capture.hpp says
// what the recording keeps.
#pragma once

#include <memory>

#include "runtime/stream/stream.hpp"

namespace gpuarray {

class Recording {
 public:
  virtual ~Recording() = default;
  // Later work on `later`, which becomes part of the recording, runs after what `earlier` has
  // queued. Throws CaptureError if `later` is part of another.
  virtual void fork(const StreamPtr& later, const Stream& earlier) = 0;
  // The same, after an event recorded on one of its streams.
  virtual void fork(const StreamPtr& later, CUevent earlier) = 0;
};

// Lists `stream` as recorded by `recording`, or no more. Thread-safe.
void begin_recording(const StreamPtr& stream, const std::shared_ptr<Recording>& recording);
void end_recording(const StreamPtr& stream);

// The stream of this handle that captures, null if none does.
StreamPtr capturing_stream(Device device, uintptr_t handle);
// Whether a graph is being captured on the device, by any thread.
bool is_capturing(Device device);

// Later work on `later` runs after what is queued on `earlier` now, and is captured if that is.
void wait_for_stream(const StreamPtr& later, const StreamPtr& earlier);

// Throws CaptureError "<what>: waits for the device, ..." on a stream that captures.
void refuse_wait(const Stream& stream, const char* what);

}  // namespace gpuarray
