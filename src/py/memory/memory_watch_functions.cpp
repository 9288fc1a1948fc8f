// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/buffer/live_blocks.hpp"
#include "runtime/memory/watch.hpp"

#include <cmath>

#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/convert.hpp"
#include "py/memory/parts.hpp"

namespace gpuarray::py {
namespace {

long long number(int64_t value) { return static_cast<long long>(value); }

Ref record(PyObject*, PyObject* on) {
  return py_bool(record_blocks(checked_status(PyObject_IsTrue(on)) == 1));
}

// Returns a row (address, size, stream, site or None, age in seconds or None, kind).
Ref block_row(const LiveBlock& block) {
  Ref site = block.site.empty() ? none() : py_string(block.site);
  Ref age = std::isinf(block.age) ? none() : checked(PyFloat_FromDouble(block.age));
  return checked(Py_BuildValue("(KLKOOs)", reinterpret_cast<uintptr_t>(block.data),
                               number(block.nbytes), static_cast<unsigned long long>(block.stream),
                               site.get(), age.get(), name(block.kind)));
}

Ref snapshot(PyObject*, PyObject* device) {
  const std::vector<LiveBlock> blocks = live_blocks(to_device(device));
  Ref list = checked(PyList_New(0));
  for (const LiveBlock& block : blocks)
    checked_status(PyList_Append(list.get(), block_row(block).get()));
  return list;
}

Ref start(PyObject*, PyObject* device) { return py_int(start_profile(to_device(device))); }

Ref end(PyObject*, PyObject* profile) {
  end_profile(to_int64(profile));
  return none();
}

Ref read(PyObject*, PyObject* profile) {
  const ProfileReport report = read_profile(to_int64(profile));
  Ref timeline = checked(PyList_New(0));
  for (const ProfilePoint& point : report.timeline) {
    Ref row = checked(Py_BuildValue("(dL)", point.seconds, number(point.bytes_in_use)));
    checked_status(PyList_Append(timeline.get(), row.get()));
  }
  return checked(Py_BuildValue("(LLLO)", number(report.peak_bytes), number(report.allocated_bytes),
                               number(report.allocations), timeline.get()));
}

}  // namespace

MethodRows memory_watch_function_rows() {
  static const PyMethodDef rows[] = {
      {"_record_memory", method<record>, METH_O,
       R"(_record_memory(on, /)
--

Starts or ends recording; whether it was on.)"},
      {"_memory_snapshot", method<snapshot>, METH_O,
       R"(_memory_snapshot(device, /)
--

Blocks in use: (address, size, stream, site or None, age or None, kind) each.)"},
      {"_start_profile", method<start>, METH_O,
       R"(_start_profile(device, /)
--

A new meter of a device's memory; its number.)"},
      {"_read_profile", method<read>, METH_O,
       R"(_read_profile(profile, /)
--

(peak_bytes, allocated_bytes, allocations, [(seconds, bytes in use)]) up to now.)"},
      {"_end_profile", method<end>, METH_O, R"(_end_profile(profile, /)
--

Forgets a meter.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
