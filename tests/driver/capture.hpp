// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <thread>

#include "work.hpp"

namespace model {

// A node of a graph: what it does, and the indices of the nodes that it runs after.
struct Node {
  Kind kind;
  std::function<Status()> run;
  std::vector<int> after;
};

// A capture in progress, whose nodes become those of the graph. Guarded by the driver's lock.
struct Capture {
  uint64_t id = 0;
  Handle origin = 0;
  int mode = 0;  // 0: global, 1: thread-local, 2: relaxed
  std::thread::id thread = std::this_thread::get_id();
  bool valid = true;
  std::vector<Node> nodes;
  std::vector<StreamPtr> streams;  // the streams that take part
};

// Adds a node to the capture of a stream that captures, after the stream's last nodes.
void add_node(Stream& stream, Kind kind, std::function<Status()> run);

// Returns the error of a call that cannot be captured, if the stream captures or is the legacy
// stream and would wait for streams that capture, and makes those captures invalid; else kSuccess.
Status forbidden_on(Stream& stream);
// Returns the same for a call that belongs to no stream, by the modes of this thread and of
// all captures.
Status forbidden_here();

// Makes the stream, if need be as a new part of the capture, wait for an event of a capture.
Status wait_in_capture(const StreamPtr& stream, const Event& event);

// Runs nodes in an order that the graph allows, and returns the first error.
Status run_nodes(const std::vector<Node>& nodes);

}  // namespace model
