// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>

#include "array/ops.hpp"
#include "array/select.hpp"
#include "backend/host/host.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

int to_axis(PyObject* axis, const Array& array, const char* what) {
  const std::vector<int> axes = to_axes(axis, array.ndim());
  if (axes.size() == 1) return axes[0];
  throw TypeError(std::string(what) + ": expected one axis, got " + std::to_string(axes.size()));
}

bool is_true(PyObject* object) { return checked_status(PyObject_IsTrue(object)) != 0; }

constexpr Signature<4> kSort{"sort_rows_", {"a", "axis", "descending", "stream"}, 3, 3};
constexpr Signature<5> kArgsort{
    "argsort_rows_", {"a", "axis", "descending", "stable", "stream"}, 3, 4};

Ref sort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, axis, descending, stream] = parse(kSort, args, nargs, kwnames);
  const Array& source = require_array(a, "sort");
  const StreamScope scope(stream, source.device());
  const int along = to_axis(axis, source, "sort");
  const bool backwards = is_true(descending);
  return new_array(compute(source, [&] { return ops::sort(source, along, backwards); }));
}

Ref argsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, axis, descending, stable, stream] = parse(kArgsort, args, nargs, kwnames);
  const Array& source = require_array(a, "argsort");
  const StreamScope scope(stream, source.device());
  const int along = to_axis(axis, source, "argsort");
  const bool backwards = is_true(descending), keeps_equal = stable == nullptr || is_true(stable);
  return new_array(
      compute(source, [&] { return ops::argsort(source, along, backwards, keeps_equal); }));
}

Ref lexsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"lexsort_", {"keys", "axis", "stream"}, 2, 2};
  const auto [keys, axis, stream] = parse(kSignature, args, nargs, kwnames);
  const std::vector<Array> arrays = require_arrays(keys, "lexsort");
  if (arrays.empty()) throw TypeError("lexsort: expected at least one key, got none");
  const StreamScope scope(stream, arrays[0].device());
  const int along = to_axis(axis, arrays[0], "lexsort");
  return new_array(compute(arrays[0], [&] { return ops::lexsort(arrays, along); }));
}

// Null for None.
const Array* optional_array(PyObject* object, const char* what) {
  return object == nullptr || object == Py_None ? nullptr : &require_array(object, what);
}

constexpr Signature<5> kSearch{"search_sorted_", {"a", "v", "right", "sorter", "stream"}, 3, 4};

Ref search(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, v, right, sorter, stream] = parse(kSearch, args, nargs, kwnames);
  const Array& sorted = require_array(a, "searchsorted");
  const Array& queries = require_array(v, "searchsorted");
  const Array* positions = optional_array(sorter, "searchsorted: sorter");
  const bool from_right = is_true(right);
  const StreamScope scope(stream, sorted.device());
  return new_array(
      compute(queries, [&] { return ops::search_sorted(sorted, queries, positions, from_right); }));
}

Ref distinct(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "distinct_", {"sorted", "equal_nan", "order", "starts"}, 4};
  const auto [a, equal_nan, order, starts] = parse(kSignature, args, nargs, kwnames);
  const Array& sorted = require_array(a, "unique");
  const Array* positions = optional_array(order, "unique: order");
  const bool equal = is_true(equal_nan), finds_starts = is_true(starts);
  const Array mask = ops::empty({sorted.size()}, DType::bool_, sorted.device());
  Array values, indices, begins;
  // Counting waits for the device.
  without_gil([&] {
    const ops::TrueCount runs = ops::count_runs(sorted, equal, mask);
    values = ops::select(sorted, runs);
    if (positions != nullptr) indices = ops::select(*positions, runs);
    if (finds_starts)
      begins = ops::nonzero_of(runs, {sorted.size()}).view(Shape{runs.count}, Strides{1}, 0);
  });
  const Ref made[] = {new_array(std::move(values)), new_array(Array(mask)),
                      positions == nullptr ? none() : new_array(std::move(indices)),
                      finds_starts ? new_array(std::move(begins)) : none()};
  return checked(PyTuple_Pack(4, made[0].get(), made[1].get(), made[2].get(), made[3].get()));
}

constexpr Signature<6> kHistogram{
    "histogram_", {"a", "bins", "edges", "weights", "even", "stream"}, 2, 5};

Ref histogram(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, bins, edges, weights, even, stream] = parse(kHistogram, args, nargs, kwnames);
  const Array& source = require_array(a, "histogram");
  const StreamScope scope(stream, source.device());
  const Array* limits = optional_array(edges, "histogram: edges");
  const Array* weighed = optional_array(weights, "histogram: weights");
  const int64_t count = to_int64(bins);
  const bool at_equal_distances = even != nullptr && is_true(even);
  return new_array(compute(
      source, [&] { return ops::histogram(source, count, limits, weighed, at_equal_distances); }));
}

// Keys of the cpu device as an ndarray of two dimensions, which does not own them.
Ref ndarray_of(const host::SortedRows& keys) {
  const int64_t step = keys.backwards ? -1 : 1;
  auto* const first = static_cast<char*>(keys.data) +
                      (keys.backwards ? (keys.length - 1) * itemsize(keys.dtype) : 0);
  return ndarray_over(first, {keys.rows, keys.length}, {keys.length, step}, keys.dtype);
}

const char* kind_of_sort(bool stable) { return stable ? "stable" : "quicksort"; }

// NumPy sorts single bytes by radix where a stable sort is asked for, other numbers by vectors
// where none is; complex numbers it sorts as quickly either way.
void sort_by_numpy(const host::SortedRows& keys) {
  const GilHold gil;
  const bool stable = itemsize(keys.dtype) == 1 || kind(keys.dtype) == 'c';
  checked(PyObject_CallMethod(ndarray_of(keys).get(), "sort", "is", -1, kind_of_sort(stable)));
}

void argsort_by_numpy(const host::SortedRows& keys, bool stable, int64_t* positions) {
  const GilHold gil;
  const Ref order = checked(
      PyObject_CallMethod(ndarray_of(keys).get(), "argsort", "is", -1, kind_of_sort(stable)));
  std::memcpy(positions, host_array(order.get()).data,
              static_cast<size_t>(keys.rows * keys.length) * sizeof(int64_t));
}

}  // namespace

void set_up_sorts() { host::set_sort_library({sort_by_numpy, argsort_by_numpy}); }

MethodRows sort_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"sort_rows_", method<sort>, kCall,
       R"(sort_rows_($module, a, axis, descending, *, stream=None)
--

Return a copy sorted along the axis.)"},
      {"argsort_rows_", method<argsort>, kCall,
       R"(argsort_rows_($module, a, axis, descending, stable=True, *, stream=None)
--

Return the int64 positions that sort along the axis.

Equal elements keep their order if `stable`.)"},
      {"lexsort_", method<lexsort>, kCall, R"(lexsort_($module, keys, axis, *, stream=None)
--

Return the int64 positions that sort by the last of the keys, then by those before it.

The keys are a sequence of arrays of one shape, with one dimension at least.)"},
      {"search_sorted_", method<search>, kCall,
       R"(search_sorted_($module, a, v, right, sorter=None, *, stream=None)
--

Return numpy.searchsorted of arrays of one device.)"},
      {"distinct_", method<distinct>, kCall,
       R"(distinct_($module, sorted, equal_nan, order, starts)
--

Return the distinct elements of a sorted 1-d array, and the mask of where each is first.

After them come what `order` has there, unless it is None, and where that is, if `starts`. Waits.)"},
      {"histogram_", method<histogram>, kCall,
       R"(histogram_($module, a, bins, edges=None, weights=None, even=False, *, stream=None)
--

Return how many elements are in each of the bins, int64, or the sum of their float64 weights.

`edges`, float64, are those of all bins, at equal distances if `even`; without them elements are
integers, the numbers of their bins.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
