// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "capture.hpp"

#include <algorithm>

#include "call.hpp"
#include "calls.hpp"

namespace model {
namespace {

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

std::map<Handle, std::shared_ptr<std::vector<Node>>>& graphs() {
  static auto& all = *new std::map<Handle, std::shared_ptr<std::vector<Node>>>;
  return all;
}

thread_local int thread_mode = 0;

Status begin(const StreamPtr& stream, int mode) {
  if (stream == nullptr) return kInvalidHandle;
  if (stream->legacy) return kCaptureUnsupported;
  if (stream->capture != nullptr) return kIllegalState;
  static uint64_t last_id = 0;
  auto capture = std::make_shared<Capture>();
  capture->id = ++last_id;
  capture->origin = stream->handle;
  capture->mode = mode;
  capture->streams = {stream};
  stream->capture = capture;
  stream->tails.clear();
  captures().push_back(capture);
  return kSuccess;
}

// Returns whether every node leads to one that the origin's next node would follow.
bool joined(const Capture& capture, const Stream& origin) {
  std::vector<bool> reached(capture.nodes.size());
  for (int tail : origin.tails) reached[static_cast<size_t>(tail)] = true;
  for (size_t i = capture.nodes.size(); i-- > 0;)
    if (reached[i])
      for (int before : capture.nodes[i].after) reached[static_cast<size_t>(before)] = true;
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

Status end(const StreamPtr& stream, Handle* graph) {
  *graph = 0;
  if (stream == nullptr) return kInvalidHandle;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) return kIllegalState;
  if (capture->origin != stream->handle) {
    capture->valid = false;
    return kCaptureUnmatched;
  }
  if (capture->mode != 2 && capture->thread != std::this_thread::get_id())
    return kCaptureWrongThread;
  const bool whole = joined(*capture, *stream);
  for (const StreamPtr& part : capture->streams) part->capture = nullptr;
  std::erase(captures(), capture);
  if (!capture->valid) return kCaptureInvalidated;
  if (!whole) return kCaptureUnjoined;
  *graph = new_handle();
  graphs()[*graph] = std::make_shared<std::vector<Node>>(std::move(capture->nodes));
  return kSuccess;
}

Status info(const StreamPtr& stream, int* status, uint64_t* id) {
  if (stream == nullptr) return kInvalidHandle;
  const Capture* capture = stream->capture.get();
  *status = capture == nullptr ? 0 : capture->valid ? 1 : 2;
  if (id != nullptr && capture != nullptr) *id = capture->id;
  return kSuccess;
}

// Makes an executable graph, which is a copy of the graph.
Status instantiate(Handle* made, Handle graph) {
  auto found = graphs().find(graph);
  if (found == graphs().end()) return kInvalidValue;
  const auto copy = std::make_shared<std::vector<Node>>(*found->second);
  *made = new_handle();
  graphs()[*made] = copy;
  return kSuccess;
}

Status launch(Lock& held, Handle graph, const StreamPtr& stream) {
  auto found = graphs().find(graph);
  if (found == graphs().end() || stream == nullptr) return kInvalidValue;
  enqueue(held, stream, Kind::graph, [nodes = found->second] { return run_nodes(*nodes); });
  return kSuccess;
}

// Updates an executable graph. Earlier launches keep the nodes that they were made with.
Status update(Handle made, Handle graph, int* result) {
  auto target = graphs().find(made), source = graphs().find(graph);
  if (target == graphs().end() || source == graphs().end()) return kInvalidValue;
  const auto alike = [](const Node& a, const Node& b) {
    return a.kind == b.kind && a.after == b.after;
  };
  const auto &old = *target->second, &next = *source->second;
  const bool same = std::equal(old.begin(), old.end(), next.begin(), next.end(), alike);
  if (result != nullptr) *result = same ? 0 : 2;  // the topology changed
  if (!same) return kUpdateFailure;
  target->second = std::make_shared<std::vector<Node>>(next);
  return kSuccess;
}

Status nodes_of(Handle graph, Handle* nodes, size_t* count) {
  auto found = graphs().find(graph);
  if (found == graphs().end()) return kInvalidValue;
  const size_t all = found->second->size();
  if (nodes != nullptr)
    for (size_t i = 0; i < *count; ++i)
      nodes[i] = i < all ? reinterpret_cast<Handle>(&(*found->second)[i]) : 0;
  if (nodes == nullptr || *count > all) *count = all;
  return kSuccess;
}

}  // namespace

void add_node(Stream& stream, Kind kind, std::function<Status()> run) {
  Capture& capture = *stream.capture;
  capture.nodes.push_back({kind, std::move(run), stream.tails});
  stream.tails = {static_cast<int>(capture.nodes.size()) - 1};
}

Status forbidden_on(Stream& stream) {
  if (stream.capture == nullptr) {
    if (!stream.legacy) return kSuccess;
    // The legacy stream would wait for blocking streams that capture.
    Status status = kSuccess;
    for (const auto& capture : captures())
      for (const StreamPtr& part : capture->streams)
        if (part->blocking) {
          capture->valid = false;
          status = kCaptureImplicit;
        }
    return status;
  }
  stream.capture->valid = false;
  return kCaptureUnsupported;
}

Status forbidden_here() {
  if (thread_mode == 2) return kSuccess;
  Status status = kSuccess;
  for (const auto& capture : captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    if (own ? capture->mode == 2 : capture->mode != 0 || thread_mode != 0) continue;
    capture->valid = false;
    status = kCaptureUnsupported;
  }
  return status;
}

Status wait_in_capture(const StreamPtr& stream, const Event& event) {
  if (event.capture == nullptr) {
    if (event.recorded == nullptr) return kSuccess;
    stream->capture->valid = false;
    return kCaptureIsolation;
  }
  if (stream->capture == nullptr) {
    stream->capture = event.capture;
    stream->tails.clear();
    event.capture->streams.push_back(stream);
  } else if (stream->capture != event.capture) {
    stream->capture->valid = event.capture->valid = false;
    return kCaptureMerge;
  }
  for (int node : event.nodes)
    if (std::find(stream->tails.begin(), stream->tails.end(), node) == stream->tails.end())
      stream->tails.push_back(node);
  return kSuccess;
}

Status run_nodes(const std::vector<Node>& nodes) {
  std::vector<bool> done(nodes.size());
  for (size_t count = 0; count < nodes.size(); ++count) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (!done[i] && std::all_of(nodes[i].after.begin(), nodes[i].after.end(),
                                  [&](int before) { return done[static_cast<size_t>(before)]; }))
        ready.push_back(i);
    // Each node runs as late as it may: the last captured one is chosen first.
    const size_t chosen =
        ready[mode() == Mode::random ? random_number() % ready.size() : ready.size() - 1];
    if (Status status = nodes[chosen].run(); status != kSuccess) return status;
    done[chosen] = true;
  }
  return kSuccess;
}

}  // namespace model

using namespace model;

MODEL(cuStreamBeginCapture, (Handle stream, int mode), ENTER;
      return begin(find_stream(stream), mode))
MODEL(cuStreamEndCapture, (Handle stream, Handle* graph), ENTER;
      return end(find_stream(stream), graph))
MODEL(cuStreamIsCapturing, (Handle stream, int* status), ENTER;
      return info(find_stream(stream), status, nullptr))
// This is the function of CUDA 12.0. It does not give the graph under construction and its nodes.
MODEL(cuStreamGetCaptureInfo,
      (Handle stream, int* status, uint64_t* id, Handle* graph, const Handle** nodes,
       size_t* count),
      ENTER;
      if (graph != nullptr || nodes != nullptr || count != nullptr) return kNotSupported;
      return info(find_stream(stream), status, id))
MODEL(cuThreadExchangeStreamCaptureMode, (int* mode), std::swap(thread_mode, *mode);
      return kSuccess)
MODEL(cuGraphInstantiateWithFlags, (Handle * made, Handle graph, unsigned long long), ENTER;
      return instantiate(made, graph))
MODEL(cuGraphLaunch, (Handle graph, Handle stream), ENTER;
      return launch(call.held, graph, find_stream(stream)))
struct UpdateInfo {
  int result;
  Handle node, from;
};
MODEL(cuGraphExecUpdate, (Handle made, Handle graph, UpdateInfo* result), ENTER;
      return update(made, graph, &result->result))
MODEL(cuGraphGetNodes, (Handle graph, Handle* nodes, size_t* count), ENTER;
      return nodes_of(graph, nodes, count))
MODEL(cuGraphDestroy, (Handle graph), ENTER;
      return graphs().erase(graph) > 0 ? kSuccess : kInvalidValue)
MODEL(cuGraphExecDestroy, (Handle graph), ENTER;
      return graphs().erase(graph) > 0 ? kSuccess : kInvalidValue)
