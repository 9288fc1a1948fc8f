// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/memory/memory_type.hpp"
#include "py/memory/parts.hpp"

#include <new>

#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/memory/external_resource.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/memory/debug.hpp"

namespace gpuarray::py {
namespace {

PyTypeObject* memory_type = nullptr;

struct MemoryObject {
  PyObject_HEAD MemoryResourcePtr resource;
};

constexpr const char* kMemoryDoc =
    R"(Where arrays get memory of one device from; made by the functions of gpuarray.memory.

Equal objects are the same resource.)";

const MemoryResourcePtr& as_resource(PyObject* object) {
  return reinterpret_cast<MemoryObject*>(object)->resource;
}

// Returns the resource as one of a class. Throws TypeError, which names `kind`, if it is another.
template <class Resource>
Resource& require(PyObject* self, const char* method, const char* kind) {
  if (auto* found = dynamic_cast<Resource*>(as_resource(self).get())) return *found;
  throw TypeError(std::string(method) + ": expected a " + kind + ", got a " +
                  as_resource(self)->describe());
}

void memory_dealloc(PyObject* object) noexcept {
  MemoryResourcePtr& resource = reinterpret_cast<MemoryObject*>(object)->resource;
  release_or_defer(std::move(resource));
  resource.~MemoryResourcePtr();
  free_object(object);
}

// Returns a resource and its upstream as text: "LimitResource(PoolResource('cuda:0'))".
std::string chain_text(const MemoryResource& resource) {
  MemoryResourcePtr upstream = resource.upstream();
  const std::string inner =
      upstream == nullptr ? "'" + to_string(resource.device()) + "'" : chain_text(*upstream);
  return resource.describe() + "(" + inner + ")";
}

Ref memory_repr(PyObject* self) {
  return py_string("<gpuarray.memory." + chain_text(*as_resource(self)) + ">");
}

Ref memory_richcompare(PyObject* left, PyObject* right, int comparison) {
  if (Py_TYPE(right) != memory_type || (comparison != Py_EQ && comparison != Py_NE))
    return not_implemented();
  return py_bool((as_resource(left) == as_resource(right)) == (comparison == Py_EQ));
}

Py_ssize_t memory_hash(PyObject* self) {
  return static_cast<Py_ssize_t>(reinterpret_cast<uintptr_t>(as_resource(self).get()) >> 4);
}

Ref get_device(PyObject* self, void*) { return from_device(as_resource(self)->device()); }
Ref get_upstream(PyObject* self, void*) {
  MemoryResourcePtr upstream = as_resource(self)->upstream();
  return upstream == nullptr ? none() : new_memory_resource(std::move(upstream));
}
Ref get_allocator(PyObject* self, void*) {
  auto* external = dynamic_cast<ExternalResource*>(as_resource(self).get());
  return external == nullptr ? none() : Ref::borrow(external->allocator());
}

constexpr Signature<2> kAllocate{
    .function = "allocate", .names = {"nbytes", "stream"}, .required = 1};

Ref memory_allocate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [size, on] = parse(kAllocate, args, nargs, kwnames);
  const int64_t nbytes = to_int64(size);
  if (nbytes <= 0)
    throw ValueError("allocate: nbytes is " + std::to_string(nbytes) + ", expected at least 1");
  const MemoryResourcePtr& resource = as_resource(self);
  StreamPtr stream = to_stream(on, resource->device());
  void* data = without_gil([&] { return resource->allocate(nbytes, *stream); });
  return checked(PyLong_FromVoidPtr(data));
}

constexpr Signature<3> kDeallocate{
    .function = "deallocate", .names = {"ptr", "nbytes", "stream"}, .required = 2};

Ref memory_deallocate(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [ptr, size, on] = parse(kDeallocate, args, nargs, kwnames);
  void* data = PyLong_AsVoidPtr(ptr);
  if (data == nullptr && PyErr_Occurred()) throw PythonError();
  const int64_t nbytes = to_int64(size);
  const MemoryResourcePtr& resource = as_resource(self);
  StreamPtr stream = to_stream(on, resource->device());
  without_gil([&] { resource->deallocate(data, nbytes, *stream); });
  return none();
}

// Makes a named tuple of gpuarray.memory.
Ref named(const char* name, const Ref& fields) {
  Ref type = import_attribute("gpuarray.memory", name);
  return call_python(PyObject_CallObject, type.get(), fields.get());
}

Ref memory_usage(PyObject* self, PyObject*) {
  const MemoryUsage usage = as_resource(self)->usage();
  Ref limit = limit_object(usage.limit);
  return named("MemoryUsage",
               checked(Py_BuildValue(
                   "(LLLLO)", static_cast<long long>(usage.used),
                   static_cast<long long>(usage.cached), static_cast<long long>(usage.free_blocks),
                   static_cast<long long>(usage.largest_free_block), limit.get())));
}

Ref memory_release_cached(PyObject* self, PyObject*) {
  without_gil([&] {
    run_deferred_frees();
    as_resource(self)->release_cached();
  });
  return none();
}

Ref memory_statistics_of(PyObject* self, PyObject*) {
  const MemoryStatistics found =
      require<StatisticsResource>(self, "statistics", "StatisticsResource").statistics();
  return checked(Py_BuildValue("{sLsLsL}", "bytes_in_use",
                               static_cast<long long>(found.bytes_in_use), "peak_bytes",
                               static_cast<long long>(found.peak_bytes), "allocations",
                               static_cast<long long>(found.allocations)));
}

Ref memory_live_blocks(PyObject* self, PyObject*) {
  const std::vector<GuardedBlock> blocks =
      require<DebugResource>(self, "live_blocks", "DebugResource").live_blocks();
  Ref list = checked(PyList_New(0));
  for (const GuardedBlock& block : blocks) {
    Ref site = block.site.empty() ? none() : py_string(block.site);
    Ref row = checked(Py_BuildValue(
        "(KLKO)", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(block.data)),
        static_cast<long long>(block.nbytes), static_cast<unsigned long long>(block.stream),
        site.get()));
    checked_status(PyList_Append(list.get(), named("GuardedBlock", row).get()));
  }
  return list;
}

template <Ref (*get)(PyObject*, void*)>
constexpr PyGetSetDef attribute(const char* name, const char* doc) {
  return {name, &Slot<get>::call, nullptr, doc, nullptr};
}

PyGetSetDef attributes[] = {
    attribute<get_device>("device", "The Device whose memory it gives."),
    attribute<get_upstream>("upstream", "The MemoryResource that its memory comes from, or None."),
    attribute<get_allocator>("allocator", "The Python object of an ExternalResource, else None."),
    {},
};

PyMethodDef methods[] = {
    {"allocate", method<memory_allocate>, METH_FASTCALL | METH_KEYWORDS,
     R"(allocate($self, nbytes, stream=None)
--

The address of new memory, an int, for work queued on `stream` (the current one) from now on.

The caller gives it back with `deallocate`. OutOfMemoryError where there is none.)"},
    {"deallocate", method<memory_deallocate>, METH_FASTCALL | METH_KEYWORDS,
     R"(deallocate($self, ptr, nbytes, stream=None)
--

Gives memory back, after the work queued on `stream` (the current one) now. Does not wait.)"},
    {"usage", method<memory_usage>, METH_NOARGS,
     R"(usage($self, /)
--

What it and its upstream hold, a gpuarray.memory.MemoryUsage.)"},
    {"release_cached", method<memory_release_cached, Entry::runs_all>, METH_NOARGS,
     R"(release_cached($self, /)
--

Gives memory kept for reuse back to the device, after waiting for its work.)"},
    {"statistics", method<memory_statistics_of>, METH_NOARGS,
     R"(statistics($self, /)
--

bytes_in_use, peak_bytes and allocations of a StatisticsResource, a dict; TypeError for others.)"},
    {"live_blocks", method<memory_live_blocks>, METH_NOARGS,
     R"(live_blocks($self, /)
--

The blocks of a DebugResource in use, a list of gpuarray.memory.GuardedBlock; TypeError for
others.)"},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(kMemoryDoc)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&memory_dealloc)},
    {Py_tp_repr, slot<memory_repr>},
    {Py_tp_hash, slot<memory_hash>},
    {Py_tp_richcompare, slot<memory_richcompare>},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

Ref new_memory_resource(MemoryResourcePtr resource) {
  auto* self = allocate_object<MemoryObject>(memory_type);
  new (&self->resource) MemoryResourcePtr(std::move(resource));
  return Ref::steal(reinterpret_cast<PyObject*>(self));
}

const MemoryResourcePtr& to_memory_resource(PyObject* object, const char* what) {
  if (Py_TYPE(object) == memory_type) return as_resource(object);
  throw TypeError(std::string(what) + ": expected a MemoryResource, got " + type_name(object));
}

Ref limit_object(int64_t limit) { return limit == MemoryUsage::kNoLimit ? none() : py_int(limit); }

void add_memory_type(PyObject* module) {
  if (memory_type == nullptr)
    memory_type = make_type(module, "gpuarray.memory.MemoryResource", sizeof(MemoryObject), slots);
  add_type(module, "MemoryResource", memory_type);
}

}  // namespace gpuarray::py
