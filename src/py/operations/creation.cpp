// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/assigned_value.hpp"
#include "py/operations/elementwise.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<6> signature_of(const char* function) {
  return {.function = function,
          .names = {"shape", "dtype", "order", "device", "stream", "managed"},
          .required = 1,
          .positional = 3};
}

constexpr Signature<6> kEmpty = signature_of("empty");
constexpr Signature<6> kZeros = signature_of("zeros");
constexpr Signature<6> kOnes = signature_of("ones");
constexpr Signature<7> kFull{
    .function = "full",
    .names = {"shape", "fill_value", "dtype", "order", "device", "stream", "managed"},
    .required = 2,
    .positional = 4};
constexpr Signature<8> kEmptyLike{
    .function = "empty_like",
    .names = {"a", "dtype", "order", "subok", "shape", "device", "stream", "managed"},
    .required = 1,
    .positional = 5};
constexpr Signature<7> kArange{
    .function = "_arange",
    .names = {"length", "start", "step", "dtype", "device", "last", "stream"},
    .required = 5};

bool is_managed(PyObject* managed) {
  return managed != nullptr && checked_status(PyObject_IsTrue(managed)) == 1;
}

// Returns a new array from the arguments of empty(), its elements not set.
Array make_empty(PyObject* shape, DType dtype, PyObject* order, PyObject* device,
                 PyObject* managed) {
  const Shape extents = to_shape(shape);
  const char layout = to_order(order, "CF", 'C');
  const MemoryKind kind = is_managed(managed) ? MemoryKind::managed : MemoryKind::device;
  return ops::empty(extents, dtype, to_device(device), layout, kind);
}

Ref filled(Array array, const Operand& value) {
  compute(array, [&] { ops::assign(array, value); });
  return new_array(std::move(array));
}

Ref module_empty(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [shape, dtype, order, device, stream, managed] = parse(kEmpty, args, nargs, kwnames);
  const StreamScope scope(stream, to_device(device));
  return new_array(
      make_empty(shape, to_optional_dtype(dtype).value_or(DType::float64), order, device, managed));
}

template <const Signature<6>& signature, int value>
Ref module_filled(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [shape, dtype, order, device, stream, managed] = parse(signature, args, nargs, kwnames);
  const StreamScope scope(stream, to_device(device));
  return filled(
      make_empty(shape, to_optional_dtype(dtype).value_or(DType::float64), order, device, managed),
      Scalar::weak_int(value));
}

DType operand_dtype(const Operand& operand) {
  const bool beyond = operand.array() == nullptr && operand.scalar().oversized;
  // An int beyond 64 bits has no dtype; the cast to int64 throws OverflowError.
  return beyond ? DType::int64 : operand.dtype();
}

Scalar to_scalar(PyObject* object, const char* what) {
  const std::optional<Operand> operand = as_operand(object);
  if (operand && operand->array() == nullptr) return operand->scalar();
  throw TypeError(std::string(what) + ": expected a scalar, got " + type_name(object));
}

Ref module_full(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [shape, fill_value, dtype, order, device, stream, managed] =
      parse(kFull, args, nargs, kwnames);
  const Device where = to_device(device);
  const StreamScope scope(stream, where);
  const std::optional<DType> to = to_optional_dtype(dtype);
  const AssignedValue value(fill_value, to, where, "full", RangeCheck::python_integers);
  const DType target = to.value_or(operand_dtype(value));
  return filled(make_empty(shape, target, order, device, managed), value);
}

// Implements empty_like(managed=True), which is written in Python.
Ref managed_like(PyObject* a, PyObject* dtype, PyObject* order, PyObject* shape, PyObject* device,
                 PyObject* stream) {
  const Ref where =
      is_given(device) ? Ref::borrow(device) : checked(PyObject_GetAttrString(a, "device"));
  Ref args = checked(PyTuple_Pack(4, a, or_none(dtype), or_none(order), or_none(shape)));
  Ref kwargs = checked(Py_BuildValue("{sOsO}", "device", where.get(), "stream", or_none(stream)));
  Ref function = import_attribute("gpuarray._runtime.memory_kinds", "empty_like_managed");
  return call_python(PyObject_Call, function.get(), args.get(), kwargs.get());
}

Ref module_empty_like(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, to, order, subok, shape, device, stream, managed] =
      parse(kEmptyLike, args, nargs, kwnames);
  const Ref made_of_list =
      is_array(a) ? Ref() : array_of_operand("empty_like", a, to_device(device));
  if (made_of_list) a = made_of_list.get();
  const Array& like = require_array(a, "empty_like");
  if (is_managed(managed)) return managed_like(a, to, order, shape, device, stream);
  const Shape extents = is_given(shape) ? to_shape(shape) : like.shape();
  const DType dtype = to_optional_dtype(to).value_or(like.dtype());
  const char layout = to_order(order, "CFAK", 'K');
  const Device where = is_given(device) ? to_device(device) : like.device();
  const StreamScope scope(stream, where);
  if (where == like.device()) return new_array(ops::empty_like(like, extents, dtype, layout));
  const bool is_f =
      layout == 'F' || (layout != 'C' && like.is_f_contiguous() && !like.is_c_contiguous());
  return new_array(ops::empty(extents, dtype, where, is_f ? 'F' : 'C'));
}

Ref module_arange(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [length, start, step, dtype, device, last, stream] = parse(kArange, args, nargs, kwnames);
  const int64_t count = to_int64(length);
  if (count < 0) throw ValueError("_arange: negative length " + std::to_string(count));
  const Scalar first = to_scalar(start, "_arange: start");
  const Scalar stride = to_scalar(step, "_arange: step");
  std::optional<Scalar> end;
  if (is_given(last)) end = to_scalar(last, "_arange: last");
  const DType target = to_dtype(dtype);
  const Device where = to_device(device);
  const StreamScope scope(stream, where);
  return new_array(without_gil_if(runs_long(where, count), [&] {
    return ops::arange(count, first, stride, end, target, where);
  }));
}

constexpr Signature<4> kValue{
    .function = "_value", .names = {"operation", "value", "device", "dtype"}, .required = 3};
constexpr Signature<4> kConcatenate{
    .function = "_concatenate", .names = {"parts", "axis", "out", "dtype"}, .required = 2};

Ref module_concatenate(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [sequence, axis, target, to] = parse(kConcatenate, args, nargs, kwnames);
  KeptVector<Array> parts = require_arrays(sequence, "concatenate");
  if (parts.empty()) throw ValueError("concatenate: need at least one array");
  if (!is_given(axis))
    for (Array& part : parts) part = ravel(part);
  const int ndim = parts[0].ndim();
  if (ndim == 0) throw ValueError("concatenate: zero-dimensional arrays cannot be concatenated");
  const int along = to_axis(axis, ndim).value_or(0);
  const Array* out = is_given(target) ? &require_array(target, "concatenate: out") : nullptr;
  const std::optional<DType> dtype = to_optional_dtype(to);
  int64_t size = 0;
  for (const Array& part : parts) size += part.size();
  Array joined = without_gil_if(runs_long(parts[0].device(), size),
                                [&] { return ops::concatenate(parts, along, out, dtype); });
  return out != nullptr ? Ref::borrow(target) : new_array(std::move(joined));
}

constexpr Signature<4> kTriangle{
    .function = "_triangle", .names = {"a", "offset", "upper", "stream"}, .required = 3};

Ref module_triangle(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, offset, upper, stream] = parse(kTriangle, args, nargs, kwnames);
  const Array& source = require_array(a, "_triangle");
  const StreamScope scope(stream, source.device());
  const bool is_upper = checked_status(PyObject_IsTrue(upper)) == 1;
  std::optional<Array> made = ops::triangle(source, to_int64(offset), is_upper);
  return made ? new_array(*std::move(made)) : Ref::borrow(Py_None);
}

constexpr Signature<3> kRoll{
    .function = "_roll", .names = {"a", "shifts", "stream"}, .required = 2};

Ref module_roll(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [a, shifts, stream] = parse(kRoll, args, nargs, kwnames);
  const Array& source = require_array(a, "_roll");
  const StreamScope scope(stream, source.device());
  const Dims by = to_shape(shifts);
  if (by.size() != source.ndim()) throw ValueError("_roll: expected a shift for each axis");
  return new_array(without_gil_if(runs_long(source.device(), source.size()),
                                  [&] { return ops::roll(source, by); }));
}

constexpr Signature<5> kReadPieces{.function = "_read_pieces",
                                   .names = {"operation", "a", "axes", "order", "fill"},
                                   .required = 3};

// The operations by whose names pieces are read, which are kept.
constexpr const char* kPieceReaders[] = {"pad", "repeat", "tile"};

// Adds (elements, first, step), or of (elements,) a hole. Throws ValueError for what the axis
// lacks.
void add_piece(AxisPieces& pieces, PyObject* piece, int64_t extent) {
  const Ref numbers = checked(PySequence_Tuple(piece));
  const Py_ssize_t count = PyTuple_Size(numbers.get());
  if (count != 3 && count != 1)
    throw ValueError("_read_pieces: a piece is elements, the first one that is read and a step");
  int64_t given[3] = {};
  for (Py_ssize_t k = 0; k < count; ++k) given[k] = to_int64(PyTuple_GetItem(numbers.get(), k));
  const auto [elements, first, step] = given;
  const auto is_inside = [&](int64_t element) { return element >= 0 && element < extent; };
  constexpr int64_t kMostElements = int64_t{1} << 60;
  const int64_t most = step == 0 ? kMostElements : extent;
  const bool is_hole = count == 1;
  if (elements < 0 || elements > most || std::abs(step) > AxisPieces::kMostStep ||
      pieces.count == AxisPieces::kMost ||
      (elements > 0 && !is_hole && !(is_inside(first) && is_inside(first + (elements - 1) * step))))
    throw ValueError("_read_pieces: a piece is outside of the axis, or one too many");
  is_hole ? pieces.add_hole(elements) : pieces.add(elements, first, step);
}

Ref module_read_pieces(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [operation, a, axes, given_order, value] = parse(kReadPieces, args, nargs, kwnames);
  const Array& source = require_array(a, "_read_pieces");
  const std::string name = to_text(operation, "operation");
  const auto reader = std::ranges::find(kPieceReaders, name);
  const Ref of_axes = checked(PySequence_Tuple(axes));
  if (reader == std::end(kPieceReaders) || PyTuple_Size(of_axes.get()) != source.ndim())
    throw ValueError("_read_pieces: expected a name that is known, and pieces for each axis");
  std::vector<AxisPieces> pieces(static_cast<size_t>(source.ndim()));
  double size = 1;
  for (int axis = 0; axis < source.ndim(); ++axis) {
    AxisPieces& of_axis = pieces[static_cast<size_t>(axis)];
    const Ref items = checked(PySequence_Tuple(PyTuple_GetItem(of_axes.get(), axis)));
    for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
      add_piece(of_axis, PyTuple_GetItem(items.get(), k), source.shape()[axis]);
    size *= static_cast<double>(of_axis.begin_of(of_axis.count));
  }
  const auto elements = static_cast<int64_t>(std::min(size, 0x1p62));
  const char order = to_order(given_order, "CF", 'C');
  std::optional<Scalar> fill;
  if (is_given(value)) {
    const AssignedValue assigned(value, source.dtype(), source.device(), "assignment",
                                 RangeCheck::elements);
    if (assigned.operand().array() != nullptr)
      throw TypeError("_read_pieces: holes are filled with a scalar");
    fill = cast_scalar(assigned.operand().scalar(), source.dtype());
  } else if (std::ranges::any_of(pieces, &AxisPieces::has_holes)) {
    throw ValueError("_read_pieces: nothing is given for holes");
  }
  return new_array(without_gil_if(runs_long(source.device(), elements), [&] {
    return ops::read_pieces(source, *reader, pieces, order, fill);
  }));
}

constexpr Signature<3> kRejoin{
    .function = "_rejoin", .names = {"parts", "axis", "is_new"}, .required = 2};

Ref module_rejoin(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [sequence, axis, given_new] = parse(kRejoin, args, nargs, kwnames);
  const bool is_new = is_given(given_new) && checked_status(PyObject_IsTrue(given_new)) == 1;
  const Py_ssize_t count = checked_status(PySequence_Size(sequence));
  if (count < 2 || count > AxisPieces::kMost) return Ref::borrow(Py_None);
  KeptVector<Array> parts;
  for (Py_ssize_t k = 0; k < count; ++k) {
    const Ref part = checked(PySequence_GetItem(sequence, k));
    if (!is_array(part.get())) return Ref::borrow(Py_None);
    parts.push_back(as_array(part.get()));
  }
  const int ndim = parts[0].ndim();
  const auto differs = [&](const Array& part) { return part.ndim() != ndim; };
  if (ndim == 0 || (!is_given(axis) && (is_new || ndim > 1)) ||
      (is_new && (ndim == kMaxDims || std::ranges::any_of(parts, differs))))
    return Ref::borrow(Py_None);
  const int along = to_axis(axis, ndim + is_new).value_or(0);
  for (Array& part : parts) {
    if (!is_new) continue;
    Shape shape = part.shape();
    Strides strides = part.strides();
    shape.insert(along, 1);
    strides.insert(along, 1);
    part = part.view(shape, strides);
  }
  int64_t size = 0;
  for (const Array& part : parts) size += part.size();
  std::optional<Array> joined =
      without_gil_if(runs_long(parts[0].device(), size), [&] { return ops::rejoin(parts, along); });
  return joined ? new_array(*std::move(joined)) : Ref::borrow(Py_None);
}

Ref module_value(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [operation, value, device, dtype] = parse(kValue, args, nargs, kwnames);
  const std::string what = to_text(operation, "operation");
  const AssignedValue given(value, to_optional_dtype(dtype), to_device(device), what.c_str());
  return given.copied() ? new_array(*given.copied()) : Ref::borrow(value);
}

constexpr const char* kConcatenateDoc =
    R"(_concatenate(parts, axis, out=None, dtype=None)
--

concatenate() of a sequence of GPUArrays, whatever the cast to `out` or `dtype`.)";
constexpr const char* kReadPiecesDoc =
    R"(_read_pieces(operation, a, axes, order='C', fill=None)
--

A new array of what the pieces of each axis read: at most three of (elements, first, step), by
which so many elements along the axis are those of `a` from the first one on, at this step, or of
(elements,), where it has the scalar `fill`.)";
constexpr const char* kRejoinDoc =
    R"(_rejoin(parts, axis, is_new=False)
--

concatenate(), or stack() if the axis `is_new`, of two or three arrays, of which nothing else can
come than that; None where it cannot wait for what follows.)";
constexpr const char* kRollDoc =
    R"(_roll(a, shifts, stream=None)
--

A copy of the array, shifted by so many elements along each axis.)";
constexpr const char* kTriangleDoc =
    R"(_triangle(a, offset, upper, stream=None)
--

A copy of one triangle of each matrix, with zeros beside it; None where there is no kernel for it.)";
constexpr const char* kValueDoc =
    R"(_value(operation, value, device, dtype=None)
--

A GPUArray or a scalar itself, a list of scalars as an array on `device`. TypeError else.)";
constexpr const char* kEmptyDoc =
    R"(empty(shape, dtype='float64', order='C', *, device=None, stream=None, managed=False)
--

A new array whose elements are not set.

shape: int or ints; dtype: anything numpy.dtype takes, or 'bfloat16'; order: 'C' or 'F';
device: a Device or its name, else the default device; stream: what the memory is ready for,
else the current one; managed: whether it is in managed memory, as empty_managed. ValueError
for a shape that is negative or too large, OutOfMemoryError where the device has not enough
memory.)";
constexpr const char* kZerosDoc =
    R"(zeros(shape, dtype='float64', order='C', *, device=None, stream=None, managed=False)
--

A new array of zeros, filled on `stream`. Arguments as for empty.)";
constexpr const char* kOnesDoc =
    R"(ones(shape, dtype='float64', order='C', *, device=None, stream=None, managed=False)
--

A new array of ones, filled on `stream`. Arguments as for empty.)";
constexpr const char* kFullDoc =
    R"(full(shape, fill_value, dtype=None, order='C', *, device=None, stream=None, managed=False)
--

A new array filled with a scalar, or with a GPUArray or a list that broadcasts, on `stream`.
The dtype is the value's by default. Other arguments as for empty.)";
constexpr const char* kEmptyLikeDoc =
    R"(empty_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None, stream=None, managed=False)
--

A new array with the shape, dtype, layout and device of `a` where none is given; its elements
are not set. Order 'C', 'F', 'A' or 'K'; `managed` as for empty; `subok` is NumPy's and changes
nothing.)";
constexpr const char* kArangeDoc =
    R"(_arange(length, start, step, dtype, device, last=None, stream=None)
--

start + i * step for i in range(length), computed in `dtype` on `stream`; `last` ends it.)";

}  // namespace

MethodRows creation_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"empty", method<module_empty, Entry::joins>, kCall, kEmptyDoc},
      {"zeros", method<module_filled<kZeros, 0>, Entry::joins>, kCall, kZerosDoc},
      {"ones", method<module_filled<kOnes, 1>, Entry::joins>, kCall, kOnesDoc},
      {"full", method<module_full, Entry::joins>, kCall, kFullDoc},
      {"empty_like", method<module_empty_like, Entry::joins>, kCall, kEmptyLikeDoc},
      {"_arange", method<module_arange>, kCall, kArangeDoc},
      {"_concatenate", method<module_concatenate>, kCall, kConcatenateDoc},
      {"_read_pieces", method<module_read_pieces, Entry::joins>, kCall, kReadPiecesDoc},
      {"_rejoin", method<module_rejoin, Entry::joins>, kCall, kRejoinDoc},
      {"_roll", method<module_roll, Entry::joins>, kCall, kRollDoc},
      {"_triangle", method<module_triangle>, kCall, kTriangleDoc},
      {"_value", method<module_value>, kCall, kValueDoc},
  };
  return rows;
}

}  // namespace gpuarray::py
