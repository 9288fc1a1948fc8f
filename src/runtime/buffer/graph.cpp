// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/graph.hpp"

#include "core/error.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/stream/queue_noted.hpp"
#include "runtime/stream/synchronize.hpp"

namespace gpuarray {

Graph::Graph(const StreamPtr& stream)
    : stream_(stream),
      capture_(Capture::begin(stream)),
      memory_(capture_->memory()),
      own_(Buffer::borrow(nullptr, 0, stream->device(), false, memory_->home(), nullptr)) {}

Graph::~Graph() {
  if (driver_end.load() != nullptr) return;
  abandon();
  if (exec_ != nullptr) quietly([&] { GPUARRAY_CALL(cuGraphExecDestroy(exec_)); });
  // The graph's memory is freed after the last launch.
  bool ordered = false;
  quietly([&] { ordered = memory_->home()->wait_or_block(*pending_stream(*own_)); });
  if (!ordered && !try_finish(device())) memory_->keep_for_good();
}

void Graph::end() {
  const std::shared_ptr<Capture> capture = take_capture();
  if (capture == nullptr) throw CaptureError("the capture has ended");
  CUgraph graph = capture->end();
  uses_ = capture->take_uses();
  kept_ = capture->take_kept();
  instantiate(graph);
  state_ = State::ready;
}

std::shared_ptr<Capture> Graph::take_capture() {
  State before = State::capturing;
  return state_.compare_exchange_strong(before, State::ended) ? std::move(capture_) : nullptr;
}

void Graph::instantiate(CUgraph graph) {
  DeviceGuard on(device());
  const CUresult counted = GPUARRAY_CALL(cuGraphGetNodes(graph, nullptr, &nodes_));
  const CUresult made = GPUARRAY_CALL(cuGraphInstantiateWithFlags(&exec_, graph, 0));
  GPUARRAY_CALL(cuGraphDestroy(graph));
  check_driver(counted, "cuGraphGetNodes", __FILE__, __LINE__);
  check_driver(made, "cuGraphInstantiateWithFlags", __FILE__, __LINE__);
}

void Graph::abandon() {
  if (const std::shared_ptr<Capture> capture = take_capture())
    quietly([&] { GPUARRAY_CALL(cuGraphDestroy(capture->end())); });
}

void Graph::launch(const StreamPtr& stream) {
  if (const State state = state_.load(); state != State::ready)
    throw CaptureError(state == State::capturing ? "Graph.launch: the graph is still being captured"
                                                 : "Graph.launch: the capture of the graph failed");
  if (stream->device() != device())
    throw DeviceError("Graph.launch: expected a stream of " + to_string(device()) +
                      ", got one of " + to_string(stream->device()));
  // The driver cannot launch a graph on a stream that is being captured.
  if (stream->is_capturing())
    throw CaptureError("Graph.launch: a graph cannot be launched inside a capture");
  std::vector<BufferPtr> alive;
  std::vector<BufferUse> uses{{own_.get(), true}};
  for (const Capture::Use& use : uses_) {
    BufferPtr buffer = use.kept != nullptr ? use.kept : use.made.lock();
    if (buffer == nullptr) continue;
    uses.push_back({buffer.get(), use.writes});
    alive.push_back(std::move(buffer));
  }
  BufferAccess access(stream);
  access.open(uses);
  DeviceGuard on(device());
  const CUresult status = queue_noted(
      *stream, [&] { return note_launch({"graph", DType::bool_, Shape()}, *stream); },
      [&] { return GPUARRAY_CALL(cuGraphLaunch(exec_, stream_handle(stream->handle()))); });
  check_driver(status, "cuGraphLaunch", __FILE__, __LINE__);
}

}  // namespace gpuarray
