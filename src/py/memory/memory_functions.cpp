// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/user_line.hpp"
#include "py/convert/convert.hpp"
#include "py/memory/external_resource.hpp"
#include "py/memory/memory_type.hpp"
#include "py/memory/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/memory/debug.hpp"

namespace gpuarray::py {
namespace {

Ref driver_resource(PyObject*, PyObject* object) {
  const Device device = to_device(object);
  if (device.is_cpu()) return new_memory_resource(std::make_shared<HostResource>());
  return new_memory_resource(std::make_shared<DriverResource>(device));
}

Ref pool_resource(PyObject*, PyObject* upstream) {
  return new_memory_resource(make_pool(to_memory_resource(upstream, "PoolResource")));
}

Ref statistics_resource(PyObject*, PyObject* upstream) {
  return new_memory_resource(
      std::make_shared<StatisticsResource>(to_memory_resource(upstream, "StatisticsResource")));
}

Ref debug_resource(PyObject*, PyObject* upstream) {
  return new_memory_resource(
      std::make_shared<DebugResource>(to_memory_resource(upstream, "DebugResource")));
}

constexpr Signature<2> kLimitResource{
    .function = "_limit_resource", .names = {"upstream", "limit"}, .required = 2};

Ref limit_resource(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [upstream, limit] = parse(kLimitResource, args, nargs, kwnames);
  return new_memory_resource(std::make_shared<LimitResource>(
      to_memory_resource(upstream, "LimitResource"), to_int64(limit)));
}

constexpr Signature<2> kExternalResource{
    .function = "_external_resource", .names = {"allocator", "device"}, .required = 1};

Ref external_resource(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [allocator, device] = parse(kExternalResource, args, nargs, kwnames);
  return new_memory_resource(std::make_shared<ExternalResource>(allocator, to_device(device)));
}

constexpr Signature<3> kChoose{
    .function = "_choose_resource", .names = {"resource", "device", "thread"}, .required = 3};

// Implements _choose_resource. A resource of None means the default one of the device. Returns the
// previous choice of this thread if the choice is for the thread, else None.
Ref choose_resource(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, target, of_thread] = parse(kChoose, args, nargs, kwnames);
  const Device device = to_device(target);
  MemoryResourcePtr resource;
  if (object != Py_None) resource = to_memory_resource(object, "set_allocator");
  if (of_thread != Py_True) {
    set_resource(device, std::move(resource));
    return none();
  }
  MemoryResourcePtr before = set_thread_resource(device, std::move(resource));
  return before == nullptr ? none() : new_memory_resource(std::move(before));
}

Ref get_resource(PyObject*, PyObject* device) {
  const Device target = to_device(device);
  MemoryResourcePtr chosen = chosen_resource(target);
  return new_memory_resource(chosen == nullptr ? default_resource(target) : std::move(chosen));
}

constexpr Signature<2> kSetLimit{
    .function = "_set_memory_limit", .names = {"limit", "device"}, .required = 2};

Ref set_limit(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [limit, device] = parse(kSetLimit, args, nargs, kwnames);
  set_memory_limit(to_device(device), limit == Py_None ? MemoryUsage::kNoLimit : to_int64(limit));
  return none();
}

Ref get_limit(PyObject*, PyObject* device) { return limit_object(memory_limit(to_device(device))); }

constexpr Signature<3> kParse{
    .function = "_parse_bytes", .names = {"text", "total", "what"}, .required = 3};

Ref parse_size(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [text, total, what] = parse(kParse, args, nargs, kwnames);
  const std::string name = to_text(what, "what");
  return py_int(parse_bytes(to_text(text, name.c_str()), to_int64(total), name));
}

Ref get_memory_info(PyObject*, PyObject* object) {
  const Device device = to_device(object);
  run_deferred_frees();
  const MemoryInfo found = memory_info(device);
  const MemoryUsage usage = current_resource(device)->usage();
  Ref limit = limit_object(usage.limit);
  return checked(Py_BuildValue("(LLLLOL)", static_cast<long long>(found.free),
                               static_cast<long long>(found.total),
                               static_cast<long long>(memory_statistics(device).bytes_in_use),
                               static_cast<long long>(usage.cached), limit.get(),
                               static_cast<long long>(usage.largest_free_block)));
}

Ref release_cached(PyObject*, PyObject* object) {
  const Device device = to_device(object);
  without_gil([&] {
    run_deferred_frees();
    current_resource(device)->release_cached();
    default_resource(device)->release_cached();
  });
  return none();
}

// Reports an error in a free as a RuntimeWarning. May be called on any thread, with or without the
// GIL.
void warn_of_free(const char* text) {
  if (!Py_IsInitialized()) return;
  GilHold gil;
  SavedError saved;
  if (!warn_user_line(PyExc_RuntimeWarning, text)) PyErr_WriteUnraisable(nullptr);
}

}  // namespace

MethodRows memory_function_rows() {
  constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_driver_resource", method<driver_resource>, METH_O,
       R"(_driver_resource(device, /)
--

The driver's memory, or the host's heap.)"},
      {"_pool_resource", method<pool_resource>, METH_O,
       R"(_pool_resource(upstream, /)
--

A caching pool.)"},
      {"_statistics_resource", method<statistics_resource>, METH_O,
       R"(_statistics_resource(upstream, /)
--

Counts blocks and bytes.)"},
      {"_debug_resource", method<debug_resource>, METH_O,
       R"(_debug_resource(upstream, /)
--

Checks what is done to memory.)"},
      {"_limit_resource", method<limit_resource>, kKeywords,
       R"(_limit_resource(upstream, limit)
--

At most `limit` bytes.)"},
      {"_external_resource", method<external_resource>, kKeywords,
       R"(_external_resource(allocator, device=None)
--

Memory of a Python object.)"},
      {"_choose_resource", method<choose_resource>, kKeywords,
       R"(_choose_resource(resource, device, thread)
--

Makes new arrays of the thread, or of all threads, come from `resource`; returns the thread's
before, or None.)"},
      {"_current_resource", method<get_resource>, METH_O,
       R"(_current_resource(device, /)
--

Where new arrays of this thread come from.)"},
      {"_set_memory_limit", method<set_limit>, kKeywords,
       R"(_set_memory_limit(limit, device)
--

Limits the device's own resource.)"},
      {"_memory_limit", method<get_limit>, METH_O,
       R"(_memory_limit(device, /)
--

Bytes, or None for no limit.)"},
      {"_parse_bytes", method<parse_size>, kKeywords,
       R"(_parse_bytes(text, total, what)
--

The bytes of "4GiB", or of "80%" of `total`.)"},
      {"_memory_info", method<get_memory_info>, METH_O,
       R"(_memory_info(device, /)
--

The fields of gpuarray.memory.MemoryInfo, a tuple.)"},
      {"_release_cached", method<release_cached, Entry::runs_all>, METH_O,
       R"(_release_cached(device, /)
--

Gives memory kept for reuse back to the device.)"},
  };
  return rows;
}

void set_up_memory() { set_memory_error_report(warn_of_free); }

}  // namespace gpuarray::py
