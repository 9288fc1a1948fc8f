// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <thread>

#include "work.hpp"

namespace model {

struct Node {
  Kind kind;
  std::function<Status()> run;
  std::vector<int> after;
};

// A capture while it goes on; its nodes are the graph's later. With the driver's lock.
struct Capture {
  uint64_t id = 0;
  Handle origin = 0;
  int mode = 0;  // 0: global, 1: thread-local, 2: relaxed
  std::thread::id thread = std::this_thread::get_id();
  bool valid = true;
  std::vector<Node> nodes;
  std::vector<StreamPtr> streams;  // that take part
};

void add_node(Stream& stream, Kind kind, std::function<Status()> run);

// For calls that a capture forbids: what they return, after which the capture is invalid. Of a
// stream that captures, or of calls of no stream's order that this thread's mode forbids.
Status forbidden_on(Stream& stream);
Status forbidden_here();

Status wait_in_capture(const StreamPtr& stream, const Event& event);

// Runs nodes in their order, or another one that the graph allows.
Status run_nodes(const std::vector<Node>& nodes);

}  // namespace model
