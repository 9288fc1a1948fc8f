// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/thread_safety.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/buffer/graph_memory.hpp"
#include "runtime/stream/recording.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Records the work that is queued on a stream, and on streams that join it, for a graph. It keeps
// the memory that the work uses, orders the uses among its streams, and allocates new memory from
// the graph's own. Thread-safe.
class Capture final : public Recording, public std::enable_shared_from_this<Capture> {
 public:
  // A use of a buffer by the graph as a whole: either `kept`, memory from outside, or `made`,
  // memory of the graph that an array still has.
  struct Use {
    BufferPtr kept;
    std::weak_ptr<Buffer> made;
    bool writes = false;
  };

  // Begins to capture `origin`, a CUDA stream. Throws CaptureError for one that cannot be captured,
  // CudaError.
  static std::shared_ptr<Capture> begin(StreamPtr origin);
  // Ends the capture if it was not ended, and drops what was recorded.
  ~Capture() override;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Ends the capture: all streams run their work again. Returns the recorded graph, which the
  // caller destroys. Throws CaptureError if a forbidden call has invalidated the capture.
  CUgraph end();
  // Return what the graph uses and keeps; each may be called once, after end().
  std::vector<Use> take_uses();
  std::vector<std::shared_ptr<const void>> take_kept();

  const StreamPtr& origin() const { return origin_; }
  const std::shared_ptr<GraphMemory>& memory() const { return memory_; }

  // The following are called by work on the capture's streams. They throw CudaError.

  // Keeps an object that the recorded work needs, such as loaded code; null is ignored.
  void keep(std::shared_ptr<const void> needed);
  // Records the use of a buffer, and orders later work on `stream` after its uses in the graph.
  void use(Buffer& buffer, const StreamPtr& stream, bool writes);
  // Adds a buffer of the graph's memory that work on `stream` may use.
  void add_made(const BufferPtr& buffer, const StreamPtr& stream);
  // Removes the buffer of the graph's memory at `data`, which is being destroyed. Returns a stream
  // that comes after all its uses, null if it was not used.
  StreamPtr forget(const void* data);
  void fork(const StreamPtr& later, const Stream& earlier) override;
  void fork(const StreamPtr& later, CUevent earlier) override;

 private:
  struct Order {
    Use use;
    StreamPtr writer;                // stream of the last write; null if there was none
    std::vector<StreamPtr> readers;  // other streams that have read it since
  };

  explicit Capture(StreamPtr origin) : origin_(std::move(origin)) {}
  // Ends the capture without the submission lock.
  CUgraph finish();
  // Makes a stream part of the capture. Throws CaptureError for one that cannot be. The caller
  // holds the lock.
  void join(const StreamPtr& stream) REQUIRES(mutex_);
  // Makes later work on one stream of the capture run after what another has queued.
  void wait(const Stream& later, const Stream& earlier) REQUIRES(mutex_);

  const StreamPtr origin_;
  std::shared_ptr<GraphMemory> memory_;
  Mutex mutex_;
  bool active_ GUARDED_BY(mutex_) = false;
  CUevent event_ GUARDED_BY(mutex_) = nullptr;
  std::vector<StreamPtr> joined_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const void>> kept_ GUARDED_BY(mutex_);
  std::unordered_map<const Buffer*, Order> orders_ GUARDED_BY(mutex_);
  // Buffers of the graph's memory, by address.
  std::unordered_map<const void*, const Buffer*> made_ GUARDED_BY(mutex_);
};

// Returns the capture that records the stream's work, null if none does.
inline std::shared_ptr<Capture> capture_of(const Stream& stream) {
  return std::static_pointer_cast<Capture>(stream.recording());
}

// Throws CaptureError for a borrowed stream that its own library is capturing.
void refuse_foreign_capture(const Stream& stream);

}  // namespace gpuarray
