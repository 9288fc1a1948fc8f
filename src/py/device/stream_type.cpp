// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/stream_object.hpp"
#include "py/device/event_type.hpp"
#include "py/device/host_function.hpp"
#include "py/device/parts.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::py {

namespace {

constexpr const char* kStreamDoc =
    R"(Stream(device=None, *, non_blocking=True, priority=0)
--

A queue of work on a device, done in order; lower priority numbers go first.

non_blocking: does not order itself with the legacy default stream. `with stream:` makes it the
current stream of its device for this thread, and for this task of asyncio only. The cpu device
has one that is always idle.)";

// Returns the stream that the object stands for on this thread; a per-thread default stream differs
// by thread.
StreamPtr as_stream(PyObject* object) { return for_this_thread(stream_of(object)); }

Ref stream_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<3> kSignature{"Stream", {"device", "non_blocking", "priority"}, 0, 1};
  auto [device, non_blocking, priority] = parse(kSignature, args, kwargs);
  bool is_non_blocking = non_blocking == nullptr || checked_status(PyObject_IsTrue(non_blocking));
  int level = priority == nullptr ? 0 : static_cast<int>(to_int64(priority));
  const Device target = to_device(device);
  run_deferred_frees();
  return new_stream(create_stream(target, is_non_blocking, level));
}

void stream_dealloc(PyObject* object) noexcept {
  auto* self = reinterpret_cast<StreamObject*>(object);
  release_or_defer(std::move(self->stream));
  self->stream.~StreamPtr();
  Py_XDECREF(self->owner);
  free_object(object);
}

Ref stream_repr(PyObject* self) {
  const Stream& stream = *as_stream(self);
  std::string device = to_string(stream.device());
  return checked(PyUnicode_FromFormat("<gpuarray.Stream %s %p>", device.c_str(),
                                      reinterpret_cast<void*>(stream.handle())));
}

// Compares two streams, which are equal if they have the same device and handle.
Ref stream_richcompare(PyObject* left, PyObject* right, int comparison) {
  if (!is_stream(right) || (comparison != Py_EQ && comparison != Py_NE)) return not_implemented();
  const Stream &a = *as_stream(left), &b = *as_stream(right);
  bool same = a.device() == b.device() && a.handle() == b.handle();
  return py_bool(same == (comparison == Py_EQ));
}

Py_ssize_t stream_hash(PyObject* self) {
  auto hash = static_cast<Py_ssize_t>(as_stream(self)->handle() >> 4);
  return hash == -1 ? -2 : hash;
}

// Returns the handle, for others to queue work on the stream, which what waits precedes.
uintptr_t handle_for_others(PyObject* self) {
  if (!reinterpret_cast<StreamObject*>(self)->is_lent) run_all_deferred_first();
  return as_stream(self)->handle();
}

Ref get_ptr(PyObject* self, void*) { return py_uint(handle_for_others(self)); }
Ref get_device(PyObject* self, void*) { return from_device(as_stream(self)->device()); }
Ref get_done(PyObject* self, void*) { return py_bool(as_stream(self)->done()); }
Ref get_priority(PyObject* self, void*) { return py_int(as_stream(self)->priority()); }
Ref get_non_blocking(PyObject* self, void*) { return py_bool(as_stream(self)->is_non_blocking()); }
Ref stream_query(PyObject* self, PyObject*) { return get_done(self, nullptr); }

Ref stream_synchronize(PyObject* self, PyObject*) {
  without_gil([stream = as_stream(self)] { stream->synchronize(); });
  return none();
}

// Makes later work on `self` run after what is queued on a stream, or after an event.
Ref stream_wait(PyObject* self, PyObject* other) {
  const StreamPtr stream = as_stream(self);
  if (is_event(other))
    event_of(other)->make_wait(stream);
  else if (is_stream(other))
    wait_for_stream(stream, as_stream(other));
  else
    wait_for_stream(stream, to_stream(other, stream->device()));
  return none();
}

Ref stream_wait_stream(PyObject* self, PyObject* other) {
  if (is_event(other)) throw TypeError("wait_stream: expected a stream, got " + type_name(other));
  return stream_wait(self, other);
}

Ref stream_wait_event(PyObject* self, PyObject* event) {
  if (!is_event(event)) throw TypeError("wait_event: expected an Event, got " + type_name(event));
  return stream_wait(self, event);
}

Ref stream_record(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"record", {"event"}, 0};
  PyObject* given = parse(kSignature, args, nargs, kwnames)[0];
  const StreamPtr stream = as_stream(self);
  Ref event = is_given(given)
                  ? Ref::borrow(given)
                  : new_event(std::make_shared<Event>(stream->device(), Event::Options()));
  if (!is_event(event.get()))
    throw TypeError("record: expected an Event or None, got " + type_name(given));
  event_of(event.get())->record(*stream);
  return event;
}

Ref stream_launch_host_func(PyObject* self, PyObject* args) {
  PyObject* function = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : Py_None;
  if (!PyCallable_Check(function))
    throw TypeError("launch_host_func: expected a callable, got " + type_name(function));
  Ref arguments = checked(PyTuple_GetSlice(args, 1, PyTuple_Size(args)));
  launch_host_function(*as_stream(self), function, std::move(arguments));
  return none();
}

Ref stream_cuda_stream(PyObject* self, PyObject*) {
  const Stream& stream = *as_stream(self);
  if (stream.device().is_cpu()) throw DeviceError("__cuda_stream__: a stream of the cpu device");
  return checked(
      Py_BuildValue("(iK)", 0, static_cast<unsigned long long>(handle_for_others(self))));
}

Ref stream_enter(PyObject* self, PyObject*) {
  enter_stream(self);
  return Ref::borrow(self);
}

Ref stream_exit(PyObject* self, PyObject*) {
  exit_stream(self);
  return none();
}

Ref stream_from_external(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"from_external", {"stream", "device"}, 1};
  auto [object, device] = parse(kSignature, args, nargs, kwnames);
  Device target = to_device(device);
  uintptr_t handle = foreign_handle(object);
  return new_stream(external_stream(target, handle), object);
}

template <Ref (*get)(PyObject*, void*), Entry entry = Entry::runs_deferred>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get, entry>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_ptr, Entry::joins>("ptr", "The CUstream as an int; 0 for cpu."),
    attribute<get_device, Entry::joins>("device", "The Device whose work it queues."),
    attribute<get_done, Entry::runs_all>("done", "Whether all queued work is done."),
    attribute<get_priority>("priority", "Its priority; lower numbers go first."),
    attribute<get_non_blocking>("non_blocking",
                                "Whether it does not order itself with the legacy default stream."),
    {},
};

PyMethodDef methods[] = {
    {"synchronize", method<stream_synchronize, Entry::runs_all>, METH_NOARGS,
     R"(synchronize($self, /)
--

Blocks until all queued work is done.)"},
    {"query", method<stream_query, Entry::runs_all>, METH_NOARGS,
     R"(query($self, /)
--

Whether all queued work is done; does not block.)"},
    {"wait", method<stream_wait, Entry::runs_all>, METH_O,
     R"(wait($self, other, /)
--

Later work on this stream runs after what is queued on `other`, a stream, now, or after an
Event. Does not block.)"},
    {"wait_stream", method<stream_wait_stream, Entry::runs_all>, METH_O,
     R"(wait_stream($self, stream, /)
--

Later work on this stream runs after what is queued on `stream` now. Does not block.)"},
    {"wait_event", method<stream_wait_event, Entry::runs_all>, METH_O,
     R"(wait_event($self, event, /)
--

Later work on this stream runs after what `event` was recorded after. Does not block.)"},
    {"record", method<stream_record, Entry::runs_all>, METH_FASTCALL | METH_KEYWORDS,
     R"(record($self, /, event=None)
--

Records `event`, or a new one, after the work queued on this stream now, and returns it.)"},
    {"launch_host_func", method<stream_launch_host_func, Entry::runs_all>, METH_VARARGS,
     R"(launch_host_func($self, function, /, *args)
--

Calls function(*args), on another thread, when the work queued now is done; later work on this
stream waits for it. The function may not use CUDA; what it raises goes to sys.unraisablehook.
On cpu it is called at once.)"},
    {"from_external", method<stream_from_external>, METH_FASTCALL | METH_KEYWORDS | METH_STATIC,
     R"(from_external(stream, device=None)
--

The stream of another library: a CUstream as an int (1 is the legacy, 2 the per-thread default
stream) or an object with __cuda_stream__, which is kept alive.)"},
    {"__cuda_stream__", method<stream_cuda_stream, Entry::joins>, METH_NOARGS,
     R"(__cuda_stream__($self, /)
--

(0, handle), for other libraries.)"},
    {"__enter__", method<stream_enter>, METH_NOARGS, nullptr},
    {"__exit__", method<stream_exit>, METH_VARARGS, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kStreamDoc)},
    {Py_tp_new, slot<stream_new>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&stream_dealloc)},
    {Py_tp_repr, slot<stream_repr>},
    {Py_tp_hash, slot<stream_hash>},
    {Py_tp_richcompare, slot<stream_richcompare>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

void add_stream_type(PyObject* module) {
  if (stream_type == nullptr)
    stream_type = make_type(module, "gpuarray.Stream", sizeof(StreamObject), slots);
  add_type(module, "Stream", stream_type);
}

}  // namespace gpuarray::py
