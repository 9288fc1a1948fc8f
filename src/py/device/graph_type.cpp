// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The captured CUDA graph that gpuarray.Graph (gpuarray/_runtime/graphs.py) is made of.
#include <new>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/stream_object.hpp"
#include "py/device/parts.hpp"
#include "runtime/buffer/graph.hpp"
#include "runtime/driver/deferred_frees.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* graph_type = nullptr;

struct GraphObject {
  PyObject_HEAD GraphPtr graph;
};

const GraphPtr& as_graph(PyObject* self) { return reinterpret_cast<GraphObject*>(self)->graph; }

// Returns the stream to capture: the given one, or a new one of `device`. Throws DeviceError for
// cpu.
StreamPtr stream_to_capture(PyObject* stream, Device device) {
  if (device.is_cpu())
    throw DeviceError("capture: expected a CUDA device, got cpu, which records no work");
  if (!is_given(stream)) return create_stream(device);
  return to_stream(stream, device);
}

Ref graph_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<2> kSignature{"CudaGraph", {"device", "stream"}, 1};
  auto [device, stream] = parse(kSignature, args, kwargs);
  run_deferred_frees();
  GraphPtr graph = std::make_shared<Graph>(stream_to_capture(stream, to_device(device)));
  auto* self = allocate_object<GraphObject>(graph_type);
  new (&self->graph) GraphPtr(std::move(graph));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void graph_dealloc(PyObject* object) noexcept {
  GraphPtr& graph = reinterpret_cast<GraphObject*>(object)->graph;
  release_or_defer(std::move(graph));
  graph.~GraphPtr();
  free_object(object);
}

Ref graph_end(PyObject* self, PyObject*) {
  without_gil([&] { as_graph(self)->end(); });
  return none();
}

Ref graph_abandon(PyObject* self, PyObject*) {
  without_gil([&] { as_graph(self)->abandon(); });
  return none();
}

Ref graph_launch(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"launch", {"stream"}, 0};
  PyObject* stream = parse(kSignature, args, nargs, kwnames)[0];
  const GraphPtr& graph = as_graph(self);
  graph->launch(to_stream(stream, graph->device()));
  return none();
}

Ref get_device(PyObject* self, void*) { return from_device(as_graph(self)->device()); }
Ref get_stream(PyObject* self, void*) { return new_stream(as_graph(self)->stream()); }
Ref get_capturing(PyObject* self, void*) { return py_bool(as_graph(self)->is_capturing()); }
Ref get_nodes(PyObject* self, void*) {
  return py_int(static_cast<int64_t>(as_graph(self)->nodes()));
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_device>("device", "The Device that it runs on."),
    attribute<get_stream>("stream", "The Stream that is, or was, captured."),
    attribute<get_capturing>("capturing", "Whether it is being captured."),
    attribute<get_nodes>("nodes", "How many kernels, copies and graphs it consists of."),
    {},
};

PyMethodDef methods[] = {
    {"end", method<graph_end>, METH_NOARGS,
     R"(end($self, /)
--

Ends the capture. CaptureError if something that cannot be captured has spoilt it.)"},
    {"abandon", method<graph_abandon>, METH_NOARGS,
     R"(abandon($self, /)
--

Ends the capture and forgets what was captured.)"},
    {"launch", method<graph_launch>, METH_FASTCALL | METH_KEYWORDS,
     R"(launch($self, /, stream=None)
--

Queues it on `stream`, by default the current one. CaptureError before the capture has ended,
DeviceError for a stream of another device.)"},
    {},
};

constexpr const char* kGraphDoc =
    R"(CudaGraph(device, stream=None)
--

Begins to capture `stream`, or a new one, until end().)";

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kGraphDoc)},
    {Py_tp_new, slot<graph_new, Entry::runs_all>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&graph_dealloc)},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

void add_graph_type(PyObject* module) {
  if (graph_type == nullptr)
    graph_type = make_type(module, "gpuarray._core.CudaGraph", sizeof(GraphObject), slots);
  add_type(module, "CudaGraph", graph_type);
}

}  // namespace gpuarray::py
