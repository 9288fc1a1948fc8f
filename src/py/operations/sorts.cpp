// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstring>

#include "array/ops.hpp"
#include "array/select.hpp"
#include "backend/host/host.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/lent_ndarray.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

// Converts the axis argument, which must name one axis. Throws TypeError.
int to_axis(PyObject* axis, const Array& array, const char* what) {
  const std::vector<int> axes = to_axes(axis, array.ndim());
  if (axes.size() == 1) return axes[0];
  throw TypeError(std::string(what) + ": expected one axis, got " + std::to_string(axes.size()));
}

bool is_true(PyObject* object) { return checked_status(PyObject_IsTrue(object)) != 0; }

// Throws ValueError unless the optional array has `size` elements.
void require_size(const Array* array, int64_t size, const char* what) {
  if (array != nullptr && array->size() != size)
    throw ValueError(std::string(what) + ": expected " + std::to_string(size) + " elements, got " +
                     std::to_string(array->size()));
}

constexpr Signature<5> kSort{"_sort_rows", {"a", "axis", "descending", "kth", "stream"}, 3, 4};
constexpr Signature<6> kArgsort{
    "_argsort_rows", {"a", "axis", "descending", "stable", "kth", "stream"}, 3, 5};

// Converts the positions of a partition; nullopt for None, null and more of them than a Dims holds.
std::optional<Dims> to_kth(PyObject* object) {
  if (object == nullptr || object == Py_None) return std::nullopt;
  const Ref items = checked(PySequence_Tuple(object));
  const Py_ssize_t count = PyTuple_Size(items.get());
  if (count > kMaxDims) return std::nullopt;
  Dims kth;
  for (Py_ssize_t k = 0; k < count; ++k) kth.push_back(to_int64(PyTuple_GetItem(items.get(), k)));
  return kth;
}

Ref sort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, axis, descending, kth, stream] = parse(kSort, args, nargs, kwnames);
  const Array& source = require_array(a, "sort");
  const StreamScope scope(stream, source.device());
  const int along = to_axis(axis, source, "sort");
  const bool backwards = is_true(descending);
  const std::optional<Dims> positions = to_kth(kth);
  return new_array(compute(source, [&] {
    return ops::sort(source, along, backwards, positions ? &*positions : nullptr);
  }));
}

Ref argsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, axis, descending, stable, kth, stream] = parse(kArgsort, args, nargs, kwnames);
  const Array& source = require_array(a, "argsort");
  const StreamScope scope(stream, source.device());
  const int along = to_axis(axis, source, "argsort");
  const bool backwards = is_true(descending), keeps_equal = stable == nullptr || is_true(stable);
  const std::optional<Dims> positions = to_kth(kth);
  return new_array(compute(source, [&] {
    return ops::argsort(source, along, backwards, keeps_equal, positions ? &*positions : nullptr);
  }));
}

Ref to_pair(ops::BestElements made) {
  const Ref parts[] = {new_array(std::move(made.values)), new_array(std::move(made.positions))};
  return checked(PyTuple_Pack(2, parts[0].get(), parts[1].get()));
}

Ref sort_with_order(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_sort_with_order", {"a", "stable", "stream"}, 2, 2};
  const auto [a, stable, stream] = parse(kSignature, args, nargs, kwnames);
  const Array& source = require_array(a, "sort");
  if (source.ndim() != 1)
    throw ValueError("sort: expected one dimension, got " + std::to_string(source.ndim()));
  const StreamScope scope(stream, source.device());
  const bool keeps_equal = is_true(stable);
  return to_pair(compute(source, [&] { return ops::sort_with_order(source, keeps_equal); }));
}

constexpr Signature<5> kSelect{
    "_select_rows", {"a", "axis", "count", "descending", "stream"}, 4, 4};

Ref select_rows(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, axis, count, descending, stream] = parse(kSelect, args, nargs, kwnames);
  const Array& source = require_array(a, "top_k");
  const StreamScope scope(stream, source.device());
  const int along = to_axis(axis, source, "top_k");
  const int64_t wanted = to_int64(count);
  const bool backwards = is_true(descending);
  std::optional<ops::BestElements> best =
      compute(source, [&] { return ops::select_rows(source, along, wanted, backwards); });
  if (!best) return none();
  return to_pair(*std::move(best));
}

Ref lexsort(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_lexsort", {"keys", "axis", "stream"}, 2, 2};
  const auto [keys, axis, stream] = parse(kSignature, args, nargs, kwnames);
  const KeptVector<Array> arrays = require_arrays(keys, "lexsort");
  if (arrays.empty()) throw TypeError("lexsort: expected at least one key, got none");
  const StreamScope scope(stream, arrays[0].device());
  const int along = to_axis(axis, arrays[0], "lexsort");
  return new_array(compute(arrays[0], [&] { return ops::lexsort(arrays, along); }));
}

constexpr Signature<5> kSearch{"_search_sorted", {"a", "v", "right", "sorter", "stream"}, 3, 4};

Ref search(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, v, right, sorter, stream] = parse(kSearch, args, nargs, kwnames);
  const Array& sorted = require_array(a, "searchsorted");
  const Array& queries = require_array(v, "searchsorted");
  const Array* positions = optional_array(sorter, "searchsorted: sorter");
  require_size(positions, sorted.size(), "searchsorted: sorter");
  const bool from_right = is_true(right);
  const StreamScope scope(stream, sorted.device());
  return new_array(
      compute(queries, [&] { return ops::search_sorted(sorted, queries, positions, from_right); }));
}

Ref distinct(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "_distinct", {"sorted", "equal_nan", "order", "starts"}, 4};
  const auto [a, equal_nan, order, starts] = parse(kSignature, args, nargs, kwnames);
  const Array& sorted = require_array(a, "unique");
  const Array* positions = optional_array(order, "unique: order");
  if (sorted.ndim() != 1 || !sorted.is_c_contiguous())
    throw ValueError("unique: expected a contiguous array of one dimension");
  require_size(positions, sorted.size(), "unique: order");
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

Ref distinct_values(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_distinct_values", {"a", "equal_nan", "few"}, 2};
  const auto [a, equal_nan, few] = parse(kSignature, args, nargs, kwnames);
  const Array& source = require_array(a, "unique");
  const bool equal = is_true(equal_nan), even_few = few != nullptr && is_true(few);
  // Counting waits for the device.
  std::optional<Array> values;
  without_gil([&] { values = ops::distinct_values(source, equal, even_few); });
  return values ? new_array(std::move(*values)) : none();
}

constexpr Signature<6> kHistogram{
    "_histogram", {"a", "bins", "edges", "weights", "even", "stream"}, 2, 5};

Ref histogram(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto [a, bins, edges, weights, even, stream] = parse(kHistogram, args, nargs, kwnames);
  const Array& source = require_array(a, "histogram");
  const StreamScope scope(stream, source.device());
  const Array* limits = optional_array(edges, "histogram: edges");
  const Array* weighed = optional_array(weights, "histogram: weights");
  const int64_t count = to_int64(bins);
  // Without bins there is one edge or none, and none is read.
  if (count != 0) require_size(limits, count + 1, "histogram: edges");
  require_size(weighed, source.size(), "histogram: weights");
  const bool at_equal_distances = even != nullptr && is_true(even);
  return new_array(compute(
      source, [&] { return ops::histogram(source, count, limits, weighed, at_equal_distances); }));
}

// Calls a method of NumPy's on the rows, which gives up the GIL meanwhile.
template <class... Args>
Ref call_on_rows(const host::SortedRows& keys, const char* method, const char* format,
                 Args... args) {
  const Ref rows = lent_ndarray(*keys.buffer, keys.data, {keys.rows, keys.length}, {keys.length, 1},
                                keys.dtype, true);
  return call_python(PyObject_CallMethod, rows.get(), method, format, args...);
}

// Sorts the rows by NumPy. For stable sorts it sorts integers of up to 16 bits by radix, for others
// most numbers with vector instructions. Complex numbers take the same time either way.
void sort_by_numpy(const host::SortedRows& keys) {
  const GilHold gil;
  const bool stable = itemsize(keys.dtype) <= 2 || kind(keys.dtype) == 'c';
  call_on_rows(keys, "sort", "is", -1, stable ? "stable" : "quicksort");
}

void partition_by_numpy(const host::SortedRows& keys, const Dims& kth) {
  const GilHold gil;
  call_on_rows(keys, "partition", "Oi", from_dims(kth).get(), -1);
}

void copy_positions(const host::SortedRows& keys, const Ref& order, int64_t* positions) {
  std::memcpy(positions, host_array(order.get()).data,
              static_cast<size_t>(keys.rows * keys.length) * sizeof(int64_t));
}

void argsort_by_numpy(const host::SortedRows& keys, int64_t* positions) {
  const GilHold gil;
  copy_positions(keys, call_on_rows(keys, "argsort", "is", -1, "stable"), positions);
}

void argpartition_by_numpy(const host::SortedRows& keys, const Dims& kth, int64_t* positions) {
  const GilHold gil;
  const Ref order = call_on_rows(keys, "argpartition", "Oi", from_dims(kth).get(), -1);
  copy_positions(keys, order, positions);
}

}  // namespace

void set_up_sorts() {
  host::set_sort_library(
      {sort_by_numpy, partition_by_numpy, argsort_by_numpy, argpartition_by_numpy});
}

MethodRows sort_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_sort_rows", method<sort>, kCall,
       R"(_sort_rows($module, a, axis, descending, kth=None, *, stream=None)
--

Return a copy sorted along the axis.

Where positions `kth` are given, from 0 on, only they need to hold what a sort puts there, with
nothing greater before them and nothing smaller behind.)"},
      {"_argsort_rows", method<argsort>, kCall,
       R"(_argsort_rows($module, a, axis, descending, stable=True, kth=None, *, stream=None)
--

Return the int64 positions that sort along the axis.

Equal elements keep their order if `stable` and there is no `kth`, which is as for _sort_rows.)"},
      {"_sort_with_order", method<sort_with_order>, kCall,
       R"(_sort_with_order($module, a, stable, *, stream=None)
--

Return the sorted elements of a 1-d array, and their int64 positions as _argsort_rows does.)"},
      {"_select_rows", method<select_rows>, kCall,
       R"(_select_rows($module, a, axis, count, descending, *, stream=None)
--

Return the elements that a stable argsort along the axis puts first, and their int64 positions.

None where the device has nothing faster than that sort. `count` is from 0 to the extent.)"},
      {"_lexsort", method<lexsort>, kCall, R"(_lexsort($module, keys, axis, *, stream=None)
--

Return the int64 positions that sort by the last of the keys, then by those before it.

The keys are a sequence of arrays of one shape, with one dimension at least.)"},
      {"_search_sorted", method<search>, kCall,
       R"(_search_sorted($module, a, v, right, sorter=None, *, stream=None)
--

Return numpy.searchsorted of arrays of one device.)"},
      {"_distinct", method<distinct>, kCall,
       R"(_distinct($module, sorted, equal_nan, order, starts)
--

Return the distinct elements of a sorted 1-d array, and the mask of where each is first.

After them come what `order` has there, unless it is None, and where that is, if `starts`. Waits.)"},
      {"_distinct_values", method<distinct_values>, kCall,
       R"(_distinct_values($module, a, equal_nan, few=False)
--

Return the distinct elements of a 1-d array in order, or None where to sort it is as fast.

With `few`, for tests, also of few elements. Waits.)"},
      {"_histogram", method<histogram>, kCall,
       R"(_histogram($module, a, bins, edges=None, weights=None, even=False, *, stream=None)
--

Return how many elements are in each of the bins, int64, or the sum of their float64 weights.

`edges`, float64, are those of all bins, at equal distances if `even`; without them elements are
integers, the numbers of their bins.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
