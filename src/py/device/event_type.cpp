// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/device/event_type.hpp"
#include "py/device/parts.hpp"

#include <new>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/stream_object.hpp"
#include "runtime/driver/deferred_frees.hpp"

namespace gpuarray::py {

PyTypeObject* event_type = nullptr;

namespace {

struct EventObject {
  PyObject_HEAD EventPtr event;
};

constexpr const char* kEventDoc =
    R"(Event(device=None, *, timing=True, blocking=False, interprocess=False)
--

A point in the work of a stream, set by record().

timing: elapsed_time() can be asked for. blocking: a thread that waits sleeps instead of
spinning. interprocess: another process can open it; needs timing=False.)";

// Converts a bool argument; `otherwise` is the default.
bool flag(PyObject* object, bool otherwise) {
  return object == nullptr ? otherwise : checked_status(PyObject_IsTrue(object)) == 1;
}

Ref event_create(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static constexpr Signature<4> kSignature{
      "Event", {"device", "timing", "blocking", "interprocess"}, 0, 1};
  auto [device, timing, blocking, interprocess] = parse(kSignature, args, kwargs);
  const Event::Options options{
      .timing = flag(timing, true),
      .blocking = flag(blocking, false),
      .interprocess = flag(interprocess, false),
  };
  run_deferred_frees();
  return new_event(std::make_shared<Event>(to_device(device), options));
}

void event_dealloc(PyObject* object) noexcept {
  EventPtr& event = reinterpret_cast<EventObject*>(object)->event;
  release_or_defer(std::move(event));
  event.~EventPtr();
  free_object(object);
}

Ref event_repr(PyObject* self) {
  const Event& event = *event_of(self);
  return checked(PyUnicode_FromFormat("<gpuarray.Event %s %p>", to_string(event.device()).c_str(),
                                      reinterpret_cast<void*>(event.handle())));
}

Ref get_ptr(PyObject* self, void*) { return py_uint(event_of(self)->handle()); }
Ref get_device(PyObject* self, void*) { return from_device(event_of(self)->device()); }
Ref get_done(PyObject* self, void*) { return py_bool(event_of(self)->done()); }
Ref get_timing(PyObject* self, void*) { return py_bool(event_of(self)->options().timing); }
Ref event_query(PyObject* self, PyObject*) { return get_done(self, nullptr); }

Ref event_record(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"record", {"stream"}, 0};
  PyObject* stream = parse(kSignature, args, nargs, kwnames)[0];
  const EventPtr& event = event_of(self);
  event->record(*to_stream(stream, event->device()));
  return Ref::borrow(self);
}

Ref event_wait(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<1> kSignature{"wait", {"stream"}, 0};
  PyObject* stream = parse(kSignature, args, nargs, kwnames)[0];
  const EventPtr& event = event_of(self);
  // A Stream may belong to another device than the event.
  const bool is_ours = stream != nullptr && is_stream(stream);
  const Device device = is_ours ? stream_of(stream)->device() : event->device();
  event->make_wait(to_stream(stream, device));
  return none();
}

Ref event_synchronize(PyObject* self, PyObject*) {
  without_gil([event = event_of(self)] { event->synchronize(); });
  return none();
}

Ref event_elapsed_time(PyObject* self, PyObject* end) {
  if (!is_event(end)) throw TypeError("elapsed_time: expected an Event, got " + type_name(end));
  const double milliseconds =
      without_gil([from = event_of(self), to = event_of(end)] { return from->elapsed_until(*to); });
  return checked(PyFloat_FromDouble(milliseconds));
}

Ref event_ipc_handle(PyObject* self, PyObject*) {
  const std::string handle = event_of(self)->ipc_handle();
  return checked(PyBytes_FromStringAndSize(handle.data(), static_cast<Py_ssize_t>(handle.size())));
}

Ref event_from_ipc_handle(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"from_ipc_handle", {"handle", "device"}, 1};
  auto [handle, device] = parse(kSignature, args, nargs, kwnames);
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (!PyBytes_Check(handle))
    throw TypeError("from_ipc_handle: expected bytes, got " + type_name(handle));
  checked_status(PyBytes_AsStringAndSize(handle, &data, &size));
  return new_event(
      std::make_shared<Event>(to_device(device), std::string(data, static_cast<size_t>(size))));
}

// Pickles an interprocess event as its handle, which another process can open.
Ref event_reduce(PyObject* self, PyObject*) {
  const Event& event = *event_of(self);
  if (!event.options().interprocess)
    throw TypeError("cannot pickle an Event made without interprocess=True");
  Ref reduce = import_attribute("gpuarray._runtime.sharing", "reduce_event");
  return call_python(PyObject_CallFunctionObjArgs, reduce.get(), self, nullptr);
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_ptr>("ptr", "The CUevent as an int; 0 for cpu."),
    attribute<get_device>("device", "The Device whose streams it can be recorded on."),
    attribute<get_done>("done", "Whether the work before it is done; True before record()."),
    attribute<get_timing>("timing", "Whether it measures time."),
    {},
};

PyMethodDef methods[] = {
    {"record", method<event_record, Entry::runs_all>, METH_FASTCALL | METH_KEYWORDS,
     R"(record($self, /, stream=None)
--

Stands for the work queued on `stream`, by default the current one, up to now. Returns itself.
DeviceError for a stream of another device.)"},
    {"wait", method<event_wait, Entry::runs_all>, METH_FASTCALL | METH_KEYWORDS,
     R"(wait($self, /, stream=None)
--

Later work on `stream`, of any device, by default the current one of the event's, runs after
it. Does not block.)"},
    {"synchronize", method<event_synchronize, Entry::runs_all>, METH_NOARGS,
     R"(synchronize($self, /)
--

Blocks until the work before it is done.)"},
    {"query", method<event_query>, METH_NOARGS,
     R"(query($self, /)
--

Whether the work before it is done; does not block.)"},
    {"elapsed_time", method<event_elapsed_time>, METH_O,
     R"(elapsed_time($self, end, /)
--

Milliseconds from this event to `end`, a float; waits for both. ValueError if one was not
recorded, or made with timing=False.)"},
    {"ipc_handle", method<event_ipc_handle>, METH_NOARGS,
     R"(ipc_handle($self, /)
--

64 bytes by which another process of this machine opens the event, as pickling it does too. The
event must be kept until then. ValueError unless it was made with interprocess=True,
DeviceError on cpu.)"},
    {"from_ipc_handle", method<event_from_ipc_handle>, METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
     R"(from_ipc_handle($type, /, handle, device=None)
--

The event of another process whose ipc_handle() this is, on the same device. ValueError for a
handle of another length, CudaError if the event is gone or of this process.)"},
    {"__reduce__", method<event_reduce>, METH_NOARGS, nullptr},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kEventDoc)},
    {Py_tp_new, slot<event_create>},
    {Py_tp_dealloc, reinterpret_cast<void*>(&event_dealloc)},
    {Py_tp_repr, slot<event_repr>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

const EventPtr& event_of(PyObject* event) { return reinterpret_cast<EventObject*>(event)->event; }

Ref new_event(EventPtr event) {
  auto* self = allocate_object<EventObject>(event_type);
  new (&self->event) EventPtr(std::move(event));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

void add_event_type(PyObject* module) {
  if (event_type == nullptr)
    event_type = make_type(module, "gpuarray.Event", sizeof(EventObject), slots);
  add_type(module, "Event", event_type);
}

}  // namespace gpuarray::py
