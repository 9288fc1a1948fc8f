// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/indexed_ops.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

// Of an array on a CUDA device; those of the cpu device are NumPy's to sort.
const Array& require_cuda(PyObject* object, const char* what) {
  const Array& array = require_array(object, what);
  if (array.device().is_cpu())
    throw DeviceError(std::string(what) + ": expected an array on a CUDA device, got one on cpu");
  return array;
}

template <auto Function>
Ref sorted(const Signature<4>& signature, PyObject* const* args, Py_ssize_t nargs,
           PyObject* kwnames) {
  const auto [a, axis, descending, stream] = parse(signature, args, nargs, kwnames);
  const Array& source = require_cuda(a, signature.function);
  const StreamScope scope(stream, source.device());
  const std::vector<int> axes = to_axes(axis, source.ndim());
  if (axes.size() != 1)
    throw TypeError(std::string(signature.function) + ": expected one axis, got " +
                    std::to_string(axes.size()));
  return new_array(Function(source, axes[0], checked_status(PyObject_IsTrue(descending))));
}

constexpr Signature<4> kSort{"sort_rows_", {"a", "axis", "descending", "stream"}, 3, 3};
constexpr Signature<4> kArgsort{"argsort_rows_", {"a", "axis", "descending", "stream"}, 3, 3};

Ref sort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return sorted<ops::sort>(kSort, args, nargs, kwnames);
}

Ref argsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return sorted<ops::argsort>(kArgsort, args, nargs, kwnames);
}

// Null for None.
const Array* optional_array(PyObject* object, const char* what) {
  return object == nullptr || object == Py_None ? nullptr : &require_array(object, what);
}

constexpr Signature<5> kSearch{"search_sorted_", {"a", "v", "right", "sorter", "stream"}, 3, 4};

Ref search(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, v, right, sorter, stream] = parse(kSearch, args, nargs, kwnames);
  const Array& sorted = require_cuda(a, "searchsorted");
  const StreamScope scope(stream, sorted.device());
  return new_array(ops::search_sorted(sorted, require_array(v, "searchsorted"),
                                      optional_array(sorter, "searchsorted: sorter"),
                                      checked_status(PyObject_IsTrue(right))));
}

Ref distinct(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "distinct_", {"sorted", "equal_nan", "order", "starts"}, 4};
  const auto [a, equal_nan, order, starts] = parse(kSignature, args, nargs, kwnames);
  const Array& sorted = require_cuda(a, "unique");
  const Array* positions = optional_array(order, "unique: order");
  const bool equal = checked_status(PyObject_IsTrue(equal_nan));
  const Array mask = ops::empty({sorted.size()}, DType::bool_, sorted.device());
  const ops::TrueCount runs = without_gil([&] { return ops::count_runs(sorted, equal, mask); });
  const Ref values = new_array(ops::select(sorted, runs));
  const Ref firsts = new_array(Array(mask));
  const Ref indices = positions == nullptr ? none() : new_array(ops::select(*positions, runs));
  const Ref begins =
      checked_status(PyObject_IsTrue(starts))
          ? new_array(ops::nonzero_of(runs, {sorted.size()}).view(Shape{runs.count}, Strides{1}, 0))
          : none();
  return checked(PyTuple_Pack(4, values.get(), firsts.get(), indices.get(), begins.get()));
}

constexpr Signature<6> kHistogram{
    "histogram_", {"a", "bins", "edges", "weights", "even", "stream"}, 2, 5};

Ref histogram(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, bins, edges, weights, even, stream] = parse(kHistogram, args, nargs, kwnames);
  const Array& source = require_cuda(a, "histogram");
  const StreamScope scope(stream, source.device());
  return new_array(ops::histogram(source, to_int64(bins), optional_array(edges, "histogram: edges"),
                                  optional_array(weights, "histogram: weights"),
                                  even != nullptr && checked_status(PyObject_IsTrue(even))));
}

}  // namespace

MethodRows sort_function_rows() {
  static const PyMethodDef rows[] = {
      {"sort_rows_", method<sort>, METH_FASTCALL | METH_KEYWORDS,
       "sort_rows_($module, a, axis, descending, *, stream=None)\n--\n\n"
       "A copy sorted along the axis, of an array on a CUDA device."},
      {"argsort_rows_", method<argsort>, METH_FASTCALL | METH_KEYWORDS,
       "argsort_rows_($module, a, axis, descending, *, stream=None)\n--\n\n"
       "The int64 positions that sort along the axis, of an array on a CUDA device."},
      {"search_sorted_", method<search>, METH_FASTCALL | METH_KEYWORDS,
       "search_sorted_($module, a, v, right, sorter=None, *, stream=None)\n--\n\n"
       "numpy.searchsorted of arrays on a CUDA device."},
      {"distinct_", method<distinct>, METH_FASTCALL | METH_KEYWORDS,
       "distinct_($module, sorted, equal_nan, order, starts)\n--\n\n"
       "The distinct elements of a sorted 1-d array on a CUDA device, the mask of where each is "
       "first,\n"
       "what `order` has there, unless it is None, and if `starts` where that is. Waits."},
      {"histogram_", method<histogram>, METH_FASTCALL | METH_KEYWORDS,
       "histogram_($module, a, bins, edges=None, weights=None, even=False, *, stream=None)\n--\n\n"
       "How many elements are in each of the bins, int64, or the sum of their float64 weights, on "
       "a\n"
       "CUDA device. `edges`, float64, are of all bins, at equal distances if `even`; without "
       "them\n"
       "elements are integers, the numbers of their bins."},
  };
  return rows;
}

}  // namespace gpuarray::py
