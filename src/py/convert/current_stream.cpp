// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/convert/current_stream.hpp"

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/stream_object.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray::py {

namespace {

// How many StreamScopes are open in this thread. They take precedence over the context.
constinit thread_local int open_scopes = 0;
// The CUDA devices, a bit each, whose current stream this thread took from its context.
constinit thread_local uint64_t devices_set = 0;

// Bound methods of the contextvars.ContextVar that holds the streams entered: a chain of (stream,
// outer) pairs that ends with None.
struct Variable {
  Ref get, set;
};

const Variable* variable = nullptr;  // set when the module is executed

Ref innermost() {
  return call_python(PyObject_CallFunctionObjArgs, variable->get.get(), Py_None, nullptr);
}

void set_innermost(PyObject* node) {
  call_python(PyObject_CallFunctionObjArgs, variable->set.get(), node, nullptr);
}

uint64_t bit(Device device) { return uint64_t{1} << device.index; }

// Gives these devices back their default current stream.
void reset(uint64_t devices) {
  for (int index = 0; devices >> index != 0; ++index)
    if (devices >> index & 1) set_current_stream(nullptr, Device::cuda(index));
}

// Makes the current streams of this thread those of its Python context.
void follow_context() {
  if (open_scopes > 0) return;
  const Ref chain = innermost();
  uint64_t seen = 0;
  for (PyObject* node = chain.get(); node != Py_None; node = PyTuple_GetItem(node, 1)) {
    const StreamPtr& stream = stream_of(PyTuple_GetItem(node, 0));
    const Device device = stream->device();
    if (device.is_cpu() || (seen & bit(device)) != 0) continue;
    seen |= bit(device);
    if (current_stream(device) != stream) set_current_stream(stream, device);
  }
  reset(devices_set & ~seen);
  devices_set = seen;
}

}  // namespace

void set_up_current_streams() {
  Ref type = import_attribute("contextvars", "ContextVar");
  Ref name = py_string("gpuarray_stream");
  Ref made = call_python(PyObject_CallFunctionObjArgs, type.get(), name.get(), nullptr);
  variable = new Variable{checked(PyObject_GetAttrString(made.get(), "get")),
                          checked(PyObject_GetAttrString(made.get(), "set"))};
}

void enter_stream(PyObject* stream) {
  const Ref outer = innermost();
  set_innermost(checked(PyTuple_Pack(2, stream, outer.get())).get());
  on_enter = follow_context;
}

void exit_stream(PyObject* stream) {
  const Ref node = innermost();
  if (node.get() == Py_None || PyTuple_GetItem(node.get(), 0) != stream)
    throw ValueError("Stream.__exit__: the stream is not the innermost one entered here");
  // Other libraries may have queued work on arrays there within the block, which is recorded here.
  for_this_thread(stream_of(stream))->record_use_or_block();
  set_innermost(PyTuple_GetItem(node.get(), 1));
}

namespace {

uintptr_t to_handle(PyObject* object) {
  const int64_t handle = to_int64(object);
  if (handle < 0)
    throw ValueError("stream: expected the handle of a CUstream, got " + std::to_string(handle));
  return static_cast<uintptr_t>(handle);
}

// Reads the handle from (0, handle), which version 0 of the protocol gives. Throws TypeError or
// ValueError.
uintptr_t handle_of_protocol(PyObject* pair) {
  constexpr const char* kExpected = "__cuda_stream__: expected a tuple (0, handle), got ";
  if (!PyTuple_Check(pair)) throw TypeError(kExpected + type_name(pair));
  if (PyTuple_Size(pair) != 2)
    throw ValueError(kExpected + std::to_string(PyTuple_Size(pair)) + " elements");
  for (Py_ssize_t at = 0; at < 2; ++at)
    if (!PyIndex_Check(PyTuple_GetItem(pair, at)))
      throw TypeError(kExpected + type_name(PyTuple_GetItem(pair, at)) + " in it");
  if (const int64_t version = to_int64(PyTuple_GetItem(pair, 0)); version != 0)
    throw ValueError("__cuda_stream__: expected version 0 of the protocol, got " +
                     std::to_string(version));
  return to_handle(PyTuple_GetItem(pair, 1));
}

}  // namespace

uintptr_t foreign_handle(PyObject* object) {
  if (PyIndex_Check(object)) return to_handle(object);
  if (!PyObject_HasAttrString(object, "__cuda_stream__"))
    throw TypeError("stream: expected a Stream, an int or an object with __cuda_stream__, got " +
                    type_name(object));
  Ref method = checked(PyObject_GetAttrString(object, "__cuda_stream__"));
  if (!PyCallable_Check(method.get())) return handle_of_protocol(method.get());
  return handle_of_protocol(call_python(PyObject_CallFunctionObjArgs, method.get(), nullptr).get());
}

StreamPtr to_stream(PyObject* object, Device device) {
  if (!is_given(object)) return current_stream(device);
  if (!is_stream(object)) return external_stream(device, foreign_handle(object));
  const StreamPtr& stream = stream_of(object);
  if (stream->device() == device) return for_this_thread(stream);
  throw DeviceError("stream: expected a stream of " + to_string(device) + ", got one of " +
                    to_string(stream->device()));
}

StreamScope::StreamScope(PyObject* stream, Device device) {
  if (!is_given(stream)) return;
  previous_ = set_current_stream(to_stream(stream, device), device);
  ++open_scopes;
}

StreamScope::~StreamScope() {
  if (previous_ == nullptr) return;
  const Device device = previous_->device();
  set_current_stream(std::move(previous_), device);
  --open_scopes;
}

}  // namespace gpuarray::py
