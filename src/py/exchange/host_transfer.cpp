// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <limits>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/exchange/interchange.hpp"
#include "py/exchange/parts.hpp"
#include "runtime/transfer/staging.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<5> kToDevice{.function = "to_device",
                                 .names = {"obj", "dtype", "device", "stream", "managed"},
                                 .required = 1,
                                 .positional = 1};
constexpr Signature<5> kAsNumpy{.function = "asnumpy",
                                .names = {"a", "stream", "order", "out", "blocking"},
                                .required = 1,
                                .positional = 4};

// Copies anything that numpy.asarray takes to a new array. A Fortran-ordered ndarray keeps its
// order.
Array upload(PyObject* object, std::optional<DType> dtype, Device device, MemoryKind kind) {
  if (is_ndarray(object) && is_fortran(object)) {
    Ref transposed = checked(PyObject_GetAttrString(object, "T"));
    return transpose(upload(transposed.get(), dtype, device, kind));
  }
  Ref host = as_host_array(object, dtype);
  const HostArray from = host_array(host.get());
  Array target = ops::empty(from.shape, from.dtype, device, 'C', kind);
  without_gil_if(target.nbytes() > kQuickBytes, [&] { ops::copy_from_host(target, from.bytes()); });
  return target;
}

// Copies an array to a device, converted to `dtype` if it is given.
Array copy_array(const Array& source, std::optional<DType> dtype, Device device, MemoryKind kind) {
  const bool converts = dtype && *dtype != source.dtype();
  return without_gil([&] {
    if (kind == MemoryKind::managed) {
      Array target = ops::empty(source.shape(), dtype.value_or(source.dtype()), device, 'C', kind);
      const Array moved = source.device() == device ? source : ops::to_device(source, device);
      ops::assign(target, moved);
      return target;
    }
    if (!converts) return ops::to_device(source, device);
    Array converted = ops::astype(source, *dtype, 'C');
    return device == converted.device() ? converted : ops::to_device(converted, device);
  });
}

Ref module_to_device(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [object, dtype, device, stream, managed] = parse(kToDevice, args, nargs, kwnames);
  const bool is_managed = managed != nullptr && checked_status(PyObject_IsTrue(managed)) == 1;
  const MemoryKind kind = is_managed ? MemoryKind::managed : MemoryKind::device;
  const std::optional<DType> target = to_optional_dtype(dtype);
  Ref source = Ref::borrow(object);
  if (!is_array(object) && is_foreign_array(object)) source = import_foreign(object);
  if (!is_array(source.get())) {
    const Device where = to_device(device);
    StreamScope scope(stream, where);
    return new_array(upload(object, target, where, kind));
  }
  const Array& array = as_array(source.get());
  const Device where = is_given(device) ? to_device(device) : array.device();
  StreamScope scope(stream, where.is_cpu() ? array.device() : where);
  return new_array(copy_array(array, target, where, kind));
}

Ref module_asnumpy(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, stream, order, out, blocking] = parse(kAsNumpy, args, nargs, kwnames);
  const char layout = to_order(order, "CFA", 'C');
  const bool wait = blocking == nullptr || checked_status(PyObject_IsTrue(blocking)) == 1;
  if (is_array(a)) {
    const Array& array = as_array(a);
    if (!wait) {
      Ref later = import_attribute("gpuarray._runtime.transfer", "get_later");
      return call_python(PyObject_CallFunctionObjArgs, later.get(), a, or_none(out), or_none(order),
                         or_none(stream), nullptr);
    }
    StreamScope scope(stream, array.device());
    return get_ndarray(array, out, layout, true);
  }
  if (is_given(out)) throw TypeError("asnumpy: out= needs a GPUArray, got " + type_name(a));
  Ref as_array = import_attribute("numpy", "asarray");
  return call_python(PyObject_CallFunctionObjArgs, as_array.get(), a, nullptr);
}

constexpr Signature<2> kSetStaging{
    .function = "set_staging", .names = {"threads", "chunk_bytes"}, .required = 0, .positional = 0};

Ref module_set_staging(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [threads, chunk_bytes] = parse(kSetStaging, args, nargs, kwnames);
  const StagingSettings before = staging_settings();
  StagingSettings settings = before;
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  if (is_given(threads))
    settings.threads = static_cast<int>(std::clamp<int64_t>(to_int64(threads), 0, kMost));
  if (is_given(chunk_bytes)) settings.chunk_bytes = to_int64(chunk_bytes);
  set_staging_settings(settings);
  return checked(Py_BuildValue("{sisL}", "threads", before.threads, "chunk_bytes",
                               static_cast<long long>(before.chunk_bytes)));
}

}  // namespace

MethodRows transfer_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"to_device", method<module_to_device>, kCall,
       R"(to_device(obj, *, dtype=None, device=None, stream=None, managed=False)
--

A new array with the elements of `obj`: an ndarray of any layout, a buffer, a scalar, nested
sequences, a GPUArray, or an array of another library.

The result is C-contiguous (a Fortran-ordered ndarray stays so), converted to `dtype`, on
`device` (else where the data lie, for host data the default device), with `managed` in managed
memory. The copy is ordered on `stream`; `obj` may be changed on return. TypeError for a dtype
that is not supported.)"},
      {"asnumpy", method<module_asnumpy>, kCall,
       R"(asnumpy(a, stream=None, order='C', out=None, *, blocking=True)
--

The elements of a GPUArray as a numpy.ndarray, as a.get(); anything else through numpy.asarray.)"},
      {"set_staging", method<module_set_staging>, kCall,
       R"(set_staging(*, threads=None, chunk_bytes=None)
--

Changes how large copies between the host and CUDA devices are staged, from the next copy of
any thread on: `threads` that share a copy, 1 to 256, and `chunk_bytes` of page-locked memory,
of which each has two, 1 to 2**30 and rounded up to a multiple of 64. None keeps a setting.
Returns the settings before as a dict. ValueError for a number out of range.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
