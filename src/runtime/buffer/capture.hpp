// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/buffer/buffer.hpp"
#include "runtime/buffer/graph_memory.hpp"
#include "runtime/stream/recording.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Records the work queued on a stream, and on those that join it, for a graph instead of doing it.
// It notes the memory that the work uses, orders the uses among its streams, and gives new memory
// out of the graph's own. Thread-safe.
class Capture final : public Recording, public std::enable_shared_from_this<Capture> {
 public:
  // A use of memory by the graph as a whole: of memory from outside, which is kept, or from its
  // own.
  struct Use {
    BufferPtr kept;
    std::weak_ptr<Buffer> made;
    bool writes = false;
  };

  // Begins on `origin`, a CUDA stream. Throws CaptureError for one that cannot be captured.
  static std::shared_ptr<Capture> begin(StreamPtr origin);
  // Ends it, if it was not, and forgets what was recorded.
  ~Capture() override;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // What was recorded, which the caller destroys; all streams work as before. Throws CaptureError
  // if something forbidden has spoilt it.
  CUgraph end();
  // After end(), once.
  std::vector<Use> take_uses();
  std::vector<std::shared_ptr<const void>> take_kept();

  const StreamPtr& origin() const { return origin_; }
  const std::shared_ptr<GraphMemory>& memory() const { return memory_; }

  // The following are for work on its streams.

  // Keeps what the recorded work needs besides memory, as loaded code; null is nothing.
  void keep(std::shared_ptr<const void> needed);
  // Queues nothing, but orders what `stream` does next with other uses of the buffer.
  void use(Buffer& buffer, const StreamPtr& stream, bool writes);
  // A buffer of the graph's memory that work on `stream` may use.
  void add_made(const BufferPtr& buffer, const StreamPtr& stream);
  // Its buffer is gone; null if it was not used, else a stream that comes after all uses.
  StreamPtr forget(const void* data);
  void fork(const StreamPtr& later, const Stream& earlier) override;
  void fork(const StreamPtr& later, CUevent earlier) override;

 private:
  struct Order {
    Use use;
    StreamPtr writer;                // the last write's; null if there was none
    std::vector<StreamPtr> readers;  // others, on which it was read since
  };

  explicit Capture(StreamPtr origin) : origin_(std::move(origin)) {}
  CUgraph finish();
  void join(const StreamPtr& stream);
  void wait(const Stream& later, const Stream& earlier);

  const StreamPtr origin_;
  std::shared_ptr<GraphMemory> memory_;
  std::mutex mutex_;
  bool active_ = false;
  CUevent event_ = nullptr;
  std::vector<StreamPtr> joined_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::unordered_map<const Buffer*, Order> orders_;
  std::unordered_map<const void*, const Buffer*> made_;  // by address
};

// What records the stream's work, null if nothing does.
inline std::shared_ptr<Capture> capture_of(const Stream& stream) {
  return std::static_pointer_cast<Capture>(stream.recording());
}

// Throws CaptureError for a stream that another library captures.
void refuse_foreign_capture(const Stream& stream);

}  // namespace gpuarray
