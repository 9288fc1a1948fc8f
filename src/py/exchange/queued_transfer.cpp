// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/noted_errors.hpp"
#include "runtime/stream/pending_work.hpp"
#include "runtime/stream/synchronize.hpp"

// Copies between host and device that are queued now and waited for later. Python holds the pending
// work as a capsule.
namespace gpuarray::py {
namespace {

constexpr const char* kCapsule = "gpuarray.PendingWork";
constexpr Signature<4> kGet{
    .function = "_queue_get", .names = {"a", "out", "order", "stream"}, .required = 4};
constexpr Signature<3> kSet{
    .function = "_queue_set", .names = {"a", "source", "stream"}, .required = 3};

void destroy_work(PyObject* capsule) {
  auto* work = static_cast<PendingWork*>(PyCapsule_GetPointer(capsule, kCapsule));
  release_or_defer(std::shared_ptr<PendingWork>(work));
}

const PendingWork& to_work(PyObject* capsule) {
  void* held = PyCapsule_GetPointer(capsule, kCapsule);
  if (held == nullptr) throw PythonError();
  return *static_cast<PendingWork*>(held);
}

// Makes the capsule for a copy that was just queued to or from `host`. If that fails, nobody could
// wait for the copy, so this blocks until it is done. If that fails too, `host` is never freed.
Ref new_work(const Stream& stream, const Ref& host) try {
  auto work = std::make_unique<PendingWork>(stream);
  Ref capsule = checked(PyCapsule_New(work.get(), kCapsule, destroy_work));
  work.release();
  return capsule;
} catch (...) {
  if (!try_finish(stream.device())) Ref::borrow(host.get()).release();
  throw;
}

// Returns a new ndarray for a copy to the host: page-locked, or ordinary memory if none can be had.
// The copy to ordinary memory blocks.
Ref new_target(const Array& array, char order) {
  if (array.device().is_cpu()) return new_ndarray(array.shape(), array.dtype(), order);
  try {
    Array target =
        ops::empty(array.shape(), array.dtype(), array.device(), order, MemoryKind::pinned);
    void* data = target.data();
    Ref owner = new_array(std::move(target));
    if (array.nbytes() > 0)
      return new_ndarray_over(data, array.shape(), array.dtype(), order, owner.get());
  } catch (const OutOfMemory&) {  // no page-locked memory can be had
  }
  return new_ndarray(array.shape(), array.dtype(), order);
}

Ref queue_get(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, out, order, stream] = parse(kGet, args, nargs, kwnames);
  const Array& array = require_array(a, "get");
  char layout = to_order(order, "CFA", 'C');
  if (layout == 'A') layout = array.is_f_contiguous() && !array.is_c_contiguous() ? 'F' : 'C';
  StreamScope scope(stream, array.device());
  Ref target = out == Py_None ? new_target(array, layout) : Ref::borrow(out);
  Ref filled = get_ndarray(array, target.get(), layout, false);
  Ref work = new_work(*current_stream(array.device()), filled);
  return checked(PyTuple_Pack(2, filled.get(), work.get()));
}

Ref queue_set(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, source, stream] = parse(kSet, args, nargs, kwnames);
  const Array& array = require_array(a, "set");
  StreamScope scope(stream, array.device());
  Ref read = set_elements(array, source, false);
  Ref work = new_work(*current_stream(array.device()), read);
  return checked(PyTuple_Pack(2, read.get(), work.get()));
}

Ref work_done(PyObject*, PyObject* work) { return py_bool(to_work(work).done()); }

Ref wait_for_work(PyObject*, PyObject* work) {
  const PendingWork& pending = to_work(work);
  if (!pending.done()) without_gil([&] { pending.wait(); });
  raise_noted_errors(pending.device());
  return none();
}

}  // namespace

MethodRows queued_transfer_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_queue_get", method<queue_get>, kCall,
       R"(_queue_get(a, out, order, stream)
--

Queues a copy to the host; the ndarray that it fills, and the work to wait for.)"},
      {"_queue_set", method<queue_set>, kCall,
       R"(_queue_set(a, source, stream)
--

Queues a copy from the host; the ndarray that it reads, and the work to wait for.)"},
      {"_work_done", method<work_done>, METH_O,
       R"(_work_done(work, /)
--

Whether queued work is done.)"},
      {"_wait_for_work", method<wait_for_work>, METH_O,
       R"(_wait_for_work(work, /)
--

Blocks until queued work is done.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
