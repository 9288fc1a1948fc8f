// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <initializer_list>
#include <string>
#include <utility>

#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/convert/stream_object.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<7> kGet{
    .function = "get",
    .names = {"stream", "order", "out", "blocking", "ary", "pagelocked", "async_"},
    .required = 0,
    .positional = 4};
constexpr Signature<7> kGetInto{
    .function = "get",
    .names = {"out", "order", "stream", "blocking", "ary", "pagelocked", "async_"},
    .required = 0,
    .positional = 4};
constexpr Signature<4> kSet{.function = "set",
                            .names = {"source", "stream", "blocking", "async_"},
                            .required = 1,
                            .positional = 1};
constexpr Signature<2> kToDevice{.function = "to_device",
                                 .names = {"device", "stream"},
                                 .required = 1,
                                 .positional = 1,
                                 .positional_only = 1};
constexpr Signature<2> kToBytes{
    .function = "tobytes", .names = {"order", "stream"}, .required = 0, .positional = 1};
constexpr Signature<1> kItem{
    .function = "item", .names = {"stream"}, .required = 0, .positional = 0};

char host_order(const Array& array, char order) {
  if (order != 'A') return order;
  return array.is_f_contiguous() && !array.is_c_contiguous() ? 'F' : 'C';
}

void require_shape(const char* what, const Shape& got, const Shape& expected) {
  if (got == expected) return;
  throw ShapeError(std::string(what) + " has shape " + to_string(got) + ", expected " +
                   to_string(expected));
}

// Checks the `out` of get(). Throws TypeError or ValueError if the elements cannot be copied to it.
HostArray require_out(const Array& array, PyObject* out) {
  if (!is_ndarray(out)) throw TypeError("get: out must be a numpy.ndarray, got " + type_name(out));
  const HostArray host = host_array(out);
  require_shape("get: out", host.shape, array.shape());
  if (host.dtype != array.dtype())
    throw TypeError(std::string("get: out has dtype ") + name(host.dtype) + ", expected " +
                    name(array.dtype()));
  if (!host.writable) throw ValueError("get: out is read-only");
  for (int axis = 0; axis < host.shape.size(); ++axis)
    if (array.size() > 0 && host.shape[axis] > 1 && host.strides[axis] == 0)
      throw ValueError("get: out has elements that share memory");
  return host;
}

void copy_out(const Array& array, const HostBytes& target, char order, bool blocking) {
  without_gil_if(!array.device().is_cpu() || array.nbytes() > kQuickBytes,
                 [&] { ops::copy_to_host(array, target, order, blocking); });
}

bool to_flag(PyObject* object, bool fallback) {
  return object == nullptr ? fallback : checked_status(PyObject_IsTrue(object)) == 1;
}

// Implements blocking=False, which is written in Python.
Ref call_later(const char* function, PyObject* self, std::initializer_list<PyObject*> args) {
  Ref later = import_attribute("gpuarray._runtime.transfer", function);
  const Ref all = checked(PyTuple_New(static_cast<Py_ssize_t>(args.size()) + 1));
  Py_ssize_t index = 0;
  checked_status(PyTuple_SetItem(all.get(), index, Ref::borrow(self).release()));
  for (PyObject* argument : args)
    checked_status(PyTuple_SetItem(all.get(), ++index, Ref::borrow(or_none(argument)).release()));
  return call_python(PyObject_Call, later.get(), all.get(), nullptr);
}

// Returns whether the object names a stream; None does, an ndarray does not.
bool names_stream(PyObject* object) {
  if (object == Py_None || is_ndarray(object)) return object == Py_None;
  return is_stream(object) || PyIndex_Check(object) ||
         PyObject_HasAttrString(object, "__cuda_stream__") == 1;
}

Ref array_get(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  // The first argument is a stream, as in CuPy, or `out`.
  const bool into = nargs > 0 && !names_stream(args[0]);
  auto [first, order, third, blocking, ary, pagelocked, async] =
      parse(into ? kGetInto : kGet, args, nargs, kwnames);
  PyObject* const stream = into ? third : first;
  PyObject* out = into ? first : third;
  if (is_given(ary)) {
    if (is_given(out)) throw TypeError("get: out and ary are the same argument, got both");
    out = ary;
  }
  const Array& array = as_array(self);
  const char layout = to_order(order, "CFA", 'C');
  const bool waits = to_flag(blocking, true);
  if (waits && (to_flag(pagelocked, false) || to_flag(async, false)))
    return call_later("get_page_locked", self, {out, order, stream, async});
  if (!waits) return call_later("get_later", self, {out, order, stream});
  StreamScope scope(stream, array.device());
  refuse_wait(*current_stream(array.device()), "GPUArray.get");
  return get_ndarray(array, out, layout, true);
}

Ref array_set(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [source, stream, blocking, async] = parse(kSet, args, nargs, kwnames);
  if (to_flag(async, false)) {
    call_later("set_later", self, {source, stream});
    return none();
  }
  if (!to_flag(blocking, true)) return call_later("set_later", self, {source, stream});
  const Array& array = as_array(self);
  StreamScope scope(stream, array.device());
  set_elements(array, source, true);
  return none();
}

Ref array_to_device(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [where, stream] = parse(kToDevice, args, nargs, kwnames);
  const Array& array = as_array(self);
  const Device device = to_device(where);
  StreamScope scope(stream, device.is_cpu() ? array.device() : device);
  if (device == array.device()) return Ref::borrow(self);
  return new_array(without_gil([&] { return ops::to_device(array, device); }));
}

// Returns the element at `indices` as a view without dimensions. No index means the only element, a
// single one counts in C order, and otherwise there is one for each axis. Throws ValueError and
// IndexError.
Array element_of(const Array& array, const Dims& indices) {
  if (indices.empty() && array.size() != 1)
    throw ValueError("can only convert an array of size 1 to a Python scalar, got shape " +
                     to_string(array.shape()) + "; a.tolist() gives all elements");
  Index at[kMaxDims];
  const int count = indices.size();
  for (int axis = 0; axis < count; ++axis) at[axis] = {IndexKind::integer, indices[axis]};
  if (count == array.ndim()) return index_view(array, {at, static_cast<size_t>(count)});
  if (count > 1) throw ValueError("incorrect number of indices for array");
  int64_t flat = count == 0 ? 0 : indices[0];
  if (flat < -array.size() || flat >= array.size())
    throw IndexError("index " + std::to_string(flat) + " is out of bounds for size " +
                     std::to_string(array.size()));
  if (flat < 0) flat += array.size();
  for (int axis = array.ndim() - 1; axis >= 0; --axis) {
    at[axis] = {IndexKind::integer, flat % array.shape()[axis]};
    flat /= array.shape()[axis];
  }
  return index_view(array, {at, static_cast<size_t>(array.ndim())});
}

Ref array_item(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [stream] = parse(kItem, args + nargs, 0, kwnames);
  const Array& array = as_array(self);
  const Array element = element_of(array, to_dims("item", args, nargs));
  const StreamScope scope(stream, array.device());
  return from_scalar(host_element(element));
}

Ref array_tobytes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [order, stream] = parse(kToBytes, args, nargs, kwnames);
  const Array& array = as_array(self);
  const char layout = host_order(array, to_order(order, "CFA", 'C'));
  const StreamScope scope(stream, array.device());
  refuse_wait(*current_stream(array.device()), "GPUArray.tobytes");
  Ref bytes = Ref::steal(PyBytes_FromStringAndSize(nullptr, array.nbytes()));
  if (!bytes) {  // Python's MemoryError has no text
    PyErr_Clear();
    throw_out_of_memory(Device::cpu(), array.nbytes());
  }
  advise_huge_pages(PyBytes_AsString(bytes.get()), array.nbytes());
  copy_out(array, {PyBytes_AsString(bytes.get()), array.nbytes()}, layout, true);
  return bytes;
}

Ref array_synchronize(PyObject* self, PyObject*) {
  const Array& array = as_array(self);
  refuse_wait(*current_stream(array.device()), "GPUArray.synchronize");
  without_gil([&] { ops::wait_on_host(array); });
  return Ref::borrow(self);
}

}  // namespace

Ref set_elements(const Array& array, PyObject* source, bool blocking) {
  if (is_array(source)) throw TypeError("set: expected a host array, got GPUArray; use a[...] = b");
  ops::require_writable(array, "set");
  if (current_stream(array.device())->is_capturing())
    throw CaptureError(
        "GPUArray.set: host memory, which may change or go before the graph runs, cannot be "
        "captured; set the array before, or use Graph.update");
  Ref host = as_host_array(source);
  const HostArray given = host_array(host.get());
  require_shape("set: source", given.shape, array.shape());
  if (!can_cast(given.dtype, array.dtype(), Casting::same_kind))
    throw TypeError(std::string("set: cannot cast from ") + name(given.dtype) + " to " +
                    name(array.dtype()) + " according to the rule 'same_kind'");
  if (given.dtype != array.dtype()) host = as_host_array(host.get(), array.dtype());
  const HostBytes bytes = host_array(host.get()).bytes();
  const bool waits = array.buffer()->kind() != MemoryKind::device;
  without_gil_if(waits || array.nbytes() > kQuickBytes,
                 [&] { ops::copy_from_host(array, bytes, blocking); });
  return host;
}

Ref get_ndarray(const Array& array, PyObject* out, char order, bool blocking) {
  refuse_wait(*current_stream(array.device()), "GPUArray.get");
  if (is_given(out)) {
    const HostArray host = require_out(array, out);
    // The device packs the elements in the order of `out`, so that one block of bytes is copied.
    const bool fortran = host.f_contiguous && !host.c_contiguous;
    if (fortran) copy_out(array, {host.data, array.nbytes()}, 'F', blocking);
    if (!fortran) copy_out(array, host.bytes(), 'C', blocking);
    return Ref::borrow(out);
  }
  order = host_order(array, order);
  Ref target = new_ndarray(array.shape(), array.dtype(), order);
  copy_out(array, {host_array(target.get()).data, array.nbytes()}, order, blocking);
  return target;
}

MethodRows transfer_method_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"get", method<array_get>, kCall,
       R"(get($self, /, stream=None, order='C', out=None, blocking=True, *, ary=None, pagelocked=False, async_=False)
--

The elements as a numpy.ndarray: `out`, which may also be the first argument, must have this
shape and dtype and be writable, of any layout, or a new one in order 'C', 'F' or 'A'. The copy
is ordered on `stream` (the current one by default). With blocking=False the result is a
gpuarray.Transfer, which is done later where `out` is page-locked and contiguous; a new one is
page-locked. `ary`, `pagelocked` and `async_` are PyCUDA's: `ary` is `out`, with either of the
others a new array is page-locked, and with `async_` it is returned before it is filled.
ValueError for another shape or a read-only `out`, TypeError for another dtype.)"},
      {"set", method<array_set>, kCall,
       R"(set($self, /, source, *, stream=None, blocking=True, async_=False)
--

Copies a host array (or sequence) of the same shape into this array, on `stream`. The dtype is
cast with the rule 'same_kind'; `source` may be changed on return. With blocking=False the
result is a gpuarray.Transfer, and a `source` that is page-locked, contiguous and of this dtype
must not change before it is done; `async_` is the same without a result, as in PyCUDA.
ValueError for another shape or a read-only array, TypeError
for a dtype that cannot be cast.)"},
      {"to_device", method<array_to_device>, kCall,
       R"(to_device($self, device, /, *, stream=None)
--

The array on `device`: itself if it is there, else a C-contiguous copy made on `stream`, a
stream of the CUDA device that takes part (of the target, if both are).)"},
      {"synchronize", method<array_synchronize>, METH_NOARGS,
       R"(synchronize($self, /)
--

Blocks until all work pending on the array's memory, on any stream, is done, so that what knows
nothing of streams, such as MPI, may read and write it. Returns the array; nothing to wait for
on cpu. CudaError for work that failed.)"},
      {"item", method<array_item>, kCall,
       R"(item($self, /, *args, stream=None)
--

One element as a Python scalar: the only one, that at an index in C order, or that at an index
an axis. Waits for `stream`, by default the current one.)"},
      {"tobytes", method<array_tobytes>, kCall,
       R"(tobytes($self, /, order='C', *, stream=None)
--

A copy of the elements as bytes, in order 'C', 'F' or 'A'. Waits for `stream`, by default the
current one.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
