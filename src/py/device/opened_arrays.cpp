// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/device/opened_arrays.hpp"
#include "py/device/parts.hpp"

#include <mutex>
#include <string>

#include "array/operand.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil_stand_in.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/type_helpers.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/stream_object.hpp"
#include "runtime/driver/deferred_frees.hpp"

namespace gpuarray::py {

OpenedArrays::OpenedArrays(const std::vector<ArrayUse>& uses, PyObject* given, const char* what) {
  if (uses.empty()) throw ValueError(std::string(what) + ": expected arrays, got none");
  ops::CommonDevice common(what);
  std::vector<BufferUse> opened;
  for (const ArrayUse& use : uses) {
    const Array& array = require_array(use.array, what);
    common.add(array);
    if (use.writes) ops::require_writable(array, what);
    buffers_.push_back(array.buffer());
    opened.push_back({array.buffer().get(), use.writes});
  }
  stream_ = to_stream(given, common.first()->device());
  access_ = std::make_unique<BufferAccess>(stream_);
  access_->open(opened);
  access_->detach_from_thread();
}

OpenedArrays::~OpenedArrays() {
  access_.reset();
  release_or_defer(std::move(stream_));
}

namespace {

constexpr const char* kCapsule = "gpuarray.access";
constexpr Signature<3> kOpen{
    .function = "access", .names = {"reads", "writes", "stream"}, .required = 3, .positional = 3};

void append_uses(std::vector<ArrayUse>& uses, const Ref& arrays, bool writes) {
  for (Py_ssize_t k = 0; k < PyTuple_Size(arrays.get()); ++k)
    uses.push_back({PyTuple_GetItem(arrays.get(), k), writes});
}

OpenedArrays* opened_in(PyObject* capsule) {
  return static_cast<OpenedArrays*>(PyCapsule_GetPointer(capsule, kCapsule));
}

// Closes an access that Python never closed: an interrupt came before the block was entered, or a
// generator was not resumed. Left open, it would keep all other threads from queueing work. May run
// on any thread.
void close_abandoned(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule)) delete opened_in(capsule);
}

// Returns (stream, capsule); _close_access takes the capsule.
Ref open_access(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [reads, writes, stream] = parse(kOpen, args, nargs, kwnames);
  const Ref read = checked(PySequence_Tuple(reads)), written = checked(PySequence_Tuple(writes));
  std::vector<ArrayUse> uses;
  append_uses(uses, read, false);
  append_uses(uses, written, true);
  auto opened = std::make_unique<OpenedArrays>(uses, stream, "access");
  const Ref current = new_stream(opened->stream());
  const Ref capsule = checked(PyCapsule_New(opened.get(), kCapsule, &close_abandoned));
  opened.release();
  return checked(PyTuple_Pack(2, current.get(), capsule.get()));
}

GilStandIn closing;  // of two threads that close a capsule one does

// Returns what the capsule holds, for the caller to delete; null if it was closed.
OpenedArrays* take_opened(PyObject* capsule) {
  const std::lock_guard lock(closing);
  if (!PyCapsule_IsValid(capsule, kCapsule)) return nullptr;
  OpenedArrays* opened = opened_in(capsule);
  PyCapsule_SetName(capsule, "closed");
  return opened;
}

Ref close_access(PyObject*, PyObject* capsule) {
  OpenedArrays* opened = take_opened(capsule);
  if (opened == nullptr) throw ValueError("access: the block is closed, or is none");
  const bool is_own = opened->is_of_this_thread();
  delete opened;
  if (is_own) return none();
  PyErr_SetString(PyExc_RuntimeError,
                  "access: the block was entered on one thread and left on another; expected "
                  "one thread, whose work the block holds together");
  throw PythonError();
}

}  // namespace

MethodRows access_function_rows() {
  static const PyMethodDef rows[] = {
      {"_open_access", method<open_access>, METH_FASTCALL | METH_KEYWORDS,
       R"(_open_access(reads, writes, stream)
--

For gpuarray.access.)"},
      {"_close_access", method<close_access>, METH_O,
       R"(_close_access(opened, /)
--

For gpuarray.access.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
