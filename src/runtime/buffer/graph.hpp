// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/buffer/capture.hpp"

namespace gpuarray {

// Work that is captured once and then queued as a whole. It owns the memory that the work allocates
// and keeps the memory that it uses. Thread-safe.
class Graph {
 public:
  // Begins to capture `stream`. Throws CaptureError for one that cannot be captured, CudaError.
  explicit Graph(const StreamPtr& stream);
  // Drops a capture under way. Launches that are queued are completed by the driver.
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Ends the capture, so that the graph can be launched. Throws CaptureError if the capture was
  // invalidated or has ended before, CudaError.
  void end();
  // Ends the capture and drops what was recorded.
  void abandon();
  // Queues the whole graph on `stream`, which is of the same device, after pending uses of the
  // memory concerned. Launches of one graph run one after the other. Throws CaptureError before
  // end(), after abandon() and on a stream that is being captured; DeviceError, CudaError.
  void launch(const StreamPtr& stream);

  const StreamPtr& stream() const { return stream_; }  // the stream that was captured
  Device device() const { return stream_->device(); }
  bool is_capturing() const { return state_.load() == State::capturing; }
  // Returns the number of kernels, copies and graphs in it; 0 before end().
  size_t nodes() const { return state_.load() == State::ready ? nodes_ : 0; }

 private:
  enum class State { capturing, ended, ready };

  // Returns the capture, which the caller ends; null if it was ended before.
  std::shared_ptr<Capture> take_capture();
  // Makes exec_ from a recorded graph, which it destroys. Throws CudaError.
  void instantiate(CUgraph graph);

  const StreamPtr stream_;
  // Who ends the capture alone changes what follows, before the graph is ready.
  std::atomic<State> state_ = State::capturing;
  std::shared_ptr<Capture> capture_;
  const std::shared_ptr<GraphMemory> memory_;
  std::vector<Capture::Use> uses_;
  std::vector<std::shared_ptr<const void>> kept_;
  BufferPtr own_;  // stands for the graph's memory, which every launch writes
  CUgraphExec exec_ = nullptr;
  size_t nodes_ = 0;
};

using GraphPtr = std::shared_ptr<Graph>;

}  // namespace gpuarray
