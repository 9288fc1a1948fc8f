// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <optional>
#include <variant>
#include <vector>

#include "array/random/distribution.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

ops::DrawParameter to_parameter(PyObject* object, const char* what) {
  if (!PyFloat_Check(object)) return require_array(object, what);
  return PyFloat_AsDouble(object);
}

// Converts a key: an array of one uint64, or an int for draws on the cpu device.
ops::DrawKey to_key(PyObject* object, const char* what) {
  if (!PyLong_Check(object)) return require_array(object, what);
  const uint64_t number = PyLong_AsUnsignedLongLong(object);
  if (number == ~uint64_t{0} && PyErr_Occurred() != nullptr) throw PythonError();
  return number;
}

Ref draw(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "_random_distribution", {"name", "key", "out", "parameters"}, 4};
  const auto [name, key, out, parameters] = parse(kSignature, args, nargs, kwnames);
  const std::string what = to_text(name, "distribution");
  const Distribution distribution = to_distribution(what);
  const Array& target = require_array(out, what.c_str());
  const ops::DrawKey seed = to_key(key, what.c_str());
  const Ref items = checked(PySequence_Tuple(parameters));
  std::vector<ops::DrawParameter> given;
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    given.push_back(to_parameter(PyTuple_GetItem(items.get(), k), what.c_str()));
  compute(target, [&] { ops::draw(distribution, seed, target, given); });
  return none();
}

Ref random_order(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_random_order", {"key", "shape", "axis"}, 3};
  const auto [key, extents, axis] = parse(kSignature, args, nargs, kwnames);
  const ops::DrawKey seed = to_key(key, "_random_order");
  const Shape shape = to_shape(extents);
  const std::optional<int> along = to_axis(axis, shape.size());
  if (!along) throw TypeError("_random_order: expected an axis");
  const Array* const array = std::get_if<Array>(&seed);
  const Device device = array != nullptr ? array->device() : Device::cpu();
  return new_array(without_gil_if(runs_long(device, element_count(shape)),
                                  [&] { return ops::sorted_word_order(seed, shape, *along); }));
}

}  // namespace

MethodRows distribution_function_rows() {
  static const PyMethodDef rows[] = {
      {"_random_distribution", method<draw>, METH_FASTCALL | METH_KEYWORDS,
       R"(_random_distribution($module, name, key, out, parameters)
--

Fill the contiguous array `out` with draws of the distribution.

`key` is an array of one uint64, or on the cpu device an int, from which and from its place each
draw follows. Parameters are
floats, and contiguous arrays of float64 with one element or one for each draw.)"},
      {"_random_order", method<random_order>, METH_FASTCALL | METH_KEYWORDS,
       R"(_random_order($module, key, shape, axis)
--

Return random orders along the axis: the positions that sort words of this shape, which follow from
the key.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
