// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>
#include <utility>

#include "array/indexing.hpp"
#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/array/array_methods.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/integers.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"

namespace gpuarray::py {
namespace {

constexpr Signature<3> kReshape{
    .function = "reshape", .names = {"order", "copy", "stream"}, .required = 0, .positional = 0};
constexpr Signature<2> kRavel{
    .function = "ravel", .names = {"order", "stream"}, .required = 0, .positional = 1};
constexpr Signature<2> kFlatten{
    .function = "flatten", .names = {"order", "stream"}, .required = 0, .positional = 1};
constexpr Signature<1> kSqueeze{.function = "squeeze", .names = {"axis"}, .required = 0};
constexpr Signature<1> kView{.function = "view", .names = {"dtype"}, .required = 0};
constexpr Signature<2> kSwapaxes{
    .function = "swapaxes", .names = {"axis1", "axis2"}, .required = 2, .positional_only = 2};

Ref array_reshape(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [order, copy, stream] = parse(kReshape, args + nargs, 0, kwnames);
  if (nargs == 0) throw TypeError("reshape() takes a shape, got no argument");
  const Shape shape = to_dims("reshape", args, nargs);
  const char layout = to_order(order, "CFA", 'C');
  const Array& array = as_array(self);
  const StreamScope scope(stream, array.device());
  const auto reshaped = [&] { return reshape(array, shape, layout); };
  const std::optional<bool> copies = to_copy(copy, "reshape");
  if (!copies) return new_view(compute(array, reshaped), self);
  Array made = compute(array, reshaped);
  const bool shares = made.buffer() == array.buffer();
  if (!*copies && !shares)
    throw ValueError("reshape: a copy is needed for this shape and order; got copy=False");
  if (*copies && shares) return new_array(compute(made, [&] { return ops::copy(made, 'K'); }));
  return new_view(std::move(made), self);
}

Ref array_ravel(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [order, stream] = parse(kRavel, args, nargs, kwnames);
  const char layout = to_order(order, "CFAK", 'C');
  const Array& array = as_array(self);
  const StreamScope scope(stream, array.device());
  return new_view(compute(array, [&] { return ravel(array, layout); }), self);
}

Ref array_flatten(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [order, stream] = parse(kFlatten, args, nargs, kwnames);
  const char layout = to_order(order, "CFAK", 'C');
  const Array& array = as_array(self);
  const StreamScope scope(stream, array.device());
  return new_array(compute(array, [&] { return flatten(array, layout); }));
}

Ref array_transpose(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  if (nargs == 0 || (nargs == 1 && args[0] == Py_None))
    return new_view(transpose(as_array(self)), self);
  const Dims axes = to_dims("transpose", args, nargs);
  return new_view(transpose(as_array(self), {axes.begin(), axes.end()}), self);
}

Ref array_swapaxes(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [first, second] = parse(kSwapaxes, args, nargs, kwnames);
  return new_view(
      swap_axes(as_array(self), to_integer(first, "swapaxes"), to_integer(second, "swapaxes")),
      self);
}

Ref array_squeeze(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  auto [axis] = parse(kSqueeze, args, nargs, kwnames);
  const Array& array = as_array(self);
  if (!is_given(axis)) return new_view(squeeze(array), self);
  return new_view(squeeze(array, to_axes(axis, array.ndim())), self);
}

Ref array_view(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  if (nargs > 1 || (nargs == 1 && PyLong_Check(args[0])))
    throw TypeError("view: expected a dtype, got extents; write a.reshape(3, 4) for another shape");
  auto [dtype] = parse(kView, args, nargs, kwnames);
  const Array& array = as_array(self);
  return new_view(reinterpret(array, to_optional_dtype(dtype).value_or(array.dtype())), self);
}

}  // namespace

MethodRows shape_method_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"reshape", method<array_reshape, Entry::joins>, kCall,
       R"(reshape($self, /, *shape, order='C', copy=None, stream=None)
--

The same elements in another shape: a view where one exists, else a copy on `stream`, by
default the current one; with `copy` True always a copy. One extent may be -1. Order 'C', 'F'
or 'A'. ValueError if the sizes differ, or where `copy` is False and one is needed.)"},
      {"ravel", method<array_ravel, Entry::joins>, kCall,
       R"(ravel($self, /, order='C', *, stream=None)
--

The elements in one dimension: a view where one exists, else a copy on `stream`, by default the
current one. Order 'C', 'F', 'A' or 'K'.)"},
      {"flatten", method<array_flatten>, kCall,
       R"(flatten($self, /, order='C', *, stream=None)
--

A copy in one dimension, made on the current stream. Order 'C', 'F', 'A' or 'K'.)"},
      {"transpose", method<array_transpose, Entry::joins>, METH_FASTCALL,
       R"(transpose($self, /, *axes)
--

A view with the axes permuted; reversed without arguments. ValueError unless the axes are a
permutation.)"},
      {"swapaxes", method<array_swapaxes, Entry::joins>, kCall,
       R"(swapaxes($self, axis1, axis2, /)
--

A view with two axes exchanged.)"},
      {"squeeze", method<array_squeeze, Entry::joins>, kCall,
       R"(squeeze($self, /, axis=None)
--

A view without axes of extent 1: all of them, or those named. ValueError for an axis of another
extent.)"},
      {"view", method<array_view, Entry::joins>, kCall,
       R"(view($self, /, dtype=None)
--

The same memory, as another dtype if one is given. A dtype of another itemsize changes the
extent of the last axis, which must be contiguous; ValueError where it does not divide or the
elements would not be aligned.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
