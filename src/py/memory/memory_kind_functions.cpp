// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/memory/parts.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/page_locked.hpp"
#include "runtime/memory/kinds.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<7> kEmptyKind{
    .function = "_empty_kind",
    .names = {"kind", "shape", "dtype", "order", "device", "zeroed", "stream"},
    .required = 6};
constexpr Signature<2> kStatistics{
    .function = "_kind_stats", .names = {"kind", "device"}, .required = 2};
constexpr Signature<2> kPrefetch{
    .function = "prefetch", .names = {"device", "stream"}, .required = 1, .positional = 2};
constexpr Signature<2> kAdvise{.function = "advise", .names = {"advice", "device"}, .required = 1};

// Converts 'pinned' or 'managed'. Throws ValueError.
MemoryKind to_kind(PyObject* object) {
  const std::string text = to_text(object, "kind");
  for (MemoryKind kind : {MemoryKind::pinned, MemoryKind::managed})
    if (text == name(kind)) return kind;
  throw ValueError("kind: expected 'pinned' or 'managed', got '" + text + "'");
}

Ref empty_kind(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [kind, shape, dtype, order, device, zeroed, stream] =
      parse(kEmptyKind, args, nargs, kwnames);
  const StreamScope scope(stream, to_device(device));
  Array made = ops::empty(to_shape(shape), to_optional_dtype(dtype).value_or(DType::float64),
                          to_device(device), to_order(order, "CF", 'C'), to_kind(kind));
  if (checked_status(PyObject_IsTrue(zeroed)) == 0) return new_array(std::move(made));
  without_gil_if(made.nbytes() > kQuickBytes, [&] {
    // No work is pending on new memory, so the host may fill it. Managed memory is filled by the
    // device, where its pages are then placed.
    if (made.buffer()->kind() == MemoryKind::managed)
      ops::assign(made, Scalar::weak_int(0));
    else if (made.nbytes() > 0)
      std::memset(made.data(), 0, static_cast<size_t>(made.nbytes()));
  });
  return new_array(std::move(made));
}

Ref kind_stats(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [kind, device] = parse(kStatistics, args, nargs, kwnames);
  const KindStatistics found = kind_statistics(to_device(device), to_kind(kind));
  auto number = [](int64_t value) { return static_cast<long long>(value); };
  return checked(Py_BuildValue("{sLsLsLsL}", "bytes_in_use", number(found.used.bytes_in_use),
                               "peak_bytes", number(found.used.peak_bytes), "allocations",
                               number(found.used.allocations), "cached_bytes",
                               number(found.cached_bytes)));
}

Ref release_kind(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [kind, device] = parse(kStatistics, args, nargs, kwnames);
  const Device of = to_device(device);
  const MemoryKind which = to_kind(kind);
  if (of.is_cpu()) return none();
  without_gil([&] {
    resource_of(of, which)->release_cached();
    DeviceGuard on(of);
    if (which == MemoryKind::pinned) SmallSlot::release_idle();
  });
  return none();
}

// The memory in which the elements of an ndarray lie.
struct Span {
  char* begin;
  int64_t nbytes;
};

Span span_of(PyObject* ndarray) {
  const HostArray host = host_array(ndarray);
  const int item = itemsize(host.dtype);
  int64_t begin = 0;
  int64_t end = item;
  for (int axis = 0; axis < host.shape.size(); ++axis) {
    if (host.shape[axis] == 0) return {nullptr, 0};
    const int64_t reach = (host.shape[axis] - 1) * host.strides[axis];
    (reach < 0 ? begin : end) += reach;
  }
  return {static_cast<char*>(host.data) + begin, end - begin};
}

Ref lock_pages(PyObject*, PyObject* args) {
  PyObject *ndarray, *device;
  if (!PyArg_ParseTuple(args, "OO:_page_lock", &ndarray, &device)) throw PythonError();
  if (!is_ndarray(ndarray))
    throw TypeError("pinned: expected a numpy.ndarray, got " + type_name(ndarray));
  const Device of = to_device(device);
  const Span span = span_of(ndarray);
  if (of.is_cpu() || span.nbytes == 0) return py_uint(0);
  const bool locked = without_gil([&] { return page_lock(of, span.begin, span.nbytes); });
  return py_uint(locked ? reinterpret_cast<uintptr_t>(span.begin) : 0);
}

Ref unlock_pages(PyObject*, PyObject* args) {
  unsigned long long address;
  PyObject* device;
  if (!PyArg_ParseTuple(args, "KO:_page_unlock", &address, &device)) throw PythonError();
  const Device of = to_device(device);
  without_gil([&] { page_unlock(of, reinterpret_cast<void*>(address)); });
  return none();
}

// Returns the bytes from the first to the last element; none on the cpu device. Throws ValueError
// for memory that is not managed.
Span managed_span(const Array& array, const char* what) {
  const MemoryKind kind = array.buffer()->kind();
  if (kind != MemoryKind::managed && kind != MemoryKind::host)
    throw ValueError(std::string(what) +
                     ": expected managed memory (gpuarray.empty_managed), got " + name(kind) +
                     " memory");
  if (array.size() == 0 || kind == MemoryKind::host) return {nullptr, 0};
  const Extent extent = byte_extent(array.shape(), array.strides(), array.itemsize());
  return {array.address() + extent.begin, extent.end - extent.begin};
}

Ref array_prefetch(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [where, stream] = parse(kPrefetch, args, nargs, kwnames);
  const Array& array = as_array(self);
  const Device device = to_device(where);
  const Span span = managed_span(array, "prefetch");
  const StreamPtr queue = to_stream(stream, array.device());
  if (span.nbytes > 0) prefetch(span.begin, span.nbytes, device, *queue);
  return none();
}

Ref array_advise(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  struct Known {
    const char* name;
    MemoryAdvice advice;
  };
  static constexpr Known kKnown[] = {{"read_mostly", MemoryAdvice::read_mostly},
                                     {"preferred_location", MemoryAdvice::preferred_location},
                                     {"accessed_by", MemoryAdvice::accessed_by}};
  auto [advice, where] = parse(kAdvise, args, nargs, kwnames);
  const Array& array = as_array(self);
  const std::string text = to_text(advice, "advise");
  const bool unset = text.starts_with("unset_");
  const bool given = is_given(where);
  const Device device = given ? to_device(where) : array.device();
  for (const Known& known : kKnown) {
    if (text.substr(unset ? 6 : 0) != known.name) continue;
    const Span span = managed_span(array, "advise");
    if (span.nbytes > 0)
      advise(span.begin, span.nbytes, known.advice, !unset, device, array.device());
    return none();
  }
  throw ValueError(
      "advise: expected 'read_mostly', 'preferred_location' or 'accessed_by', or one of them "
      "after 'unset_', got '" +
      text + "'");
}

}  // namespace

MethodRows memory_method_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"prefetch", method<array_prefetch>, kCall,
       R"(prefetch($self, /, device, stream=None)
--

Moves managed memory to a device, or to the host for 'cpu', before it is used there; done on
`stream` (the current one by default). Nothing on the cpu device. ValueError for memory that is
not managed.)"},
      {"advise", method<array_advise>, kCall,
       R"(advise($self, /, advice, device=None)
--

Tells the driver how managed memory will be used: 'read_mostly' (copies on every reader),
'preferred_location' or 'accessed_by' a device (by default the array's; 'cpu' is the host);
'unset_read_mostly' and so on take it back. Nothing on the cpu device. ValueError for memory
that is not managed.)"},
  };
  return rows;
}

MethodRows memory_kind_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_empty_kind", method<empty_kind>, kCall,
       R"(_empty_kind(kind, shape, dtype, order, device, zeroed, stream=None)
--

A new array in 'pinned' or 'managed' memory; its elements are zeros or not set.)"},
      {"_kind_stats", method<kind_stats>, kCall,
       R"(_kind_stats(kind, device)
--

Pinned or managed memory of arrays: bytes_in_use, peak_bytes, allocations, cached_bytes.)"},
      {"_release_kind", method<release_kind>, kCall,
       R"(_release_kind(kind, device)
--

Gives pinned or managed memory that is kept for reuse back, after pending work on it.)"},
      {"_page_lock", method<lock_pages>, METH_VARARGS,
       R"(_page_lock(array, device, /)
--

Page-locks an ndarray in place; the address to unlock, 0 if nothing is to be unlocked.)"},
      {"_page_unlock", method<unlock_pages>, METH_VARARGS,
       R"(_page_unlock(address, device, /)
--

Ends what _page_lock began, when the device has done all its work.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
