// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <vector>

#include "runtime/buffer/capture.hpp"

namespace gpuarray {

// Work that was captured once and is queued as a whole; owns the memory that it allocates, and
// keeps the memory that it uses. Thread-safe once the capture has ended.
class Graph {
 public:
  // Begins to capture `stream`. Throws CaptureError for one that cannot be captured.
  explicit Graph(const StreamPtr& stream);
  // Forgets a capture under way. Launches that are queued are completed.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Ends the capture: the graph can be launched. Throws CaptureError for a spoilt capture.
  void end();
  // Ends the capture and forgets it.
  void abandon();
  // Queues all of it on `stream`, of the same device, after pending uses of the memory concerned;
  // one launch runs after the other. Throws CaptureError before end() and after abandon().
  void launch(const StreamPtr& stream);

  const StreamPtr& stream() const { return stream_; }  // that was captured
  Device device() const { return stream_->device(); }
  bool is_capturing() const { return capture_ != nullptr; }
  size_t nodes() const { return nodes_; }  // kernels, copies and graphs in it

 private:
  void instantiate(CUgraph graph);

  const StreamPtr stream_;
  std::shared_ptr<Capture> capture_;
  const std::shared_ptr<GraphMemory> memory_;
  std::vector<Capture::Use> uses_;
  std::vector<std::shared_ptr<const void>> kept_;
  BufferPtr own_;  // stands for its memory, which every launch writes
  CUgraphExec exec_ = nullptr;
  size_t nodes_ = 0;
};

using GraphPtr = std::shared_ptr<Graph>;

}  // namespace gpuarray
