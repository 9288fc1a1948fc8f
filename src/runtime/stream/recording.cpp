// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/recording.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

// The streams that are being captured. Never destroyed.
struct Capturing {
  HeldAtFork mutex;
  std::atomic<int> count = 0;
  std::vector<StreamPtr> streams GUARDED_BY(mutex);
};

Capturing& capturing = *new Capturing;

}  // namespace

void begin_recording(const StreamPtr& stream, const std::shared_ptr<Recording>& recording) {
  stream->set_recording(recording);
  const LockGuard lock(capturing.mutex);
  capturing.streams.push_back(stream);
  ++capturing.count;
}

void end_recording(const StreamPtr& stream) {
  stream->set_recording(nullptr);
  const LockGuard lock(capturing.mutex);
  capturing.count -= static_cast<int>(std::erase(capturing.streams, stream));
}

StreamPtr capturing_stream(Device device, uintptr_t handle) {
  if (capturing.count.load(std::memory_order_relaxed) == 0) return nullptr;
  const LockGuard lock(capturing.mutex);
  for (const StreamPtr& stream : capturing.streams)
    if (stream->device() == device && stream->handle() == handle) return stream;
  return nullptr;
}

bool is_capturing(Device device) {
  if (capturing.count.load() == 0) return false;
  const LockGuard lock(capturing.mutex);
  return std::ranges::any_of(capturing.streams,
                             [&](const StreamPtr& stream) { return stream->device() == device; });
}

void wait_for_stream(const StreamPtr& later, const StreamPtr& earlier) {
  if (const std::shared_ptr<Recording> recording = earlier->recording())
    return recording->fork(later, *earlier);
  later->wait_for(*earlier);
}

void refuse_wait(const Stream& stream, const char* what) {
  if (!stream.is_capturing()) [[likely]]
    return;
  require_driver();
  throw CaptureError(std::string(what) +
                     ": waits for the device, which cannot be captured in a graph");
}

}  // namespace gpuarray
