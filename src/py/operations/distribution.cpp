// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <vector>

#include "array/random/distribution.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

ops::DrawParameter to_parameter(PyObject* object, const char* what) {
  if (!PyFloat_Check(object)) return require_array(object, what);
  return PyFloat_AsDouble(object);
}

Ref draw(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "_random_distribution", {"name", "key", "out", "parameters"}, 4};
  const auto [name, key, out, parameters] = parse(kSignature, args, nargs, kwnames);
  const std::string what = to_text(name, "distribution");
  const Distribution distribution = to_distribution(what);
  const Array& target = require_array(out, what.c_str());
  const Array& seed = require_array(key, what.c_str());
  const Ref items = checked(PySequence_Tuple(parameters));
  std::vector<ops::DrawParameter> given;
  for (Py_ssize_t k = 0; k < PyTuple_Size(items.get()); ++k)
    given.push_back(to_parameter(PyTuple_GetItem(items.get(), k), what.c_str()));
  compute(target, [&] { ops::draw(distribution, seed, target, given); });
  return none();
}

}  // namespace

MethodRows distribution_function_rows() {
  static const PyMethodDef rows[] = {
      {"_random_distribution", method<draw>, METH_FASTCALL | METH_KEYWORDS,
       R"(_random_distribution($module, name, key, out, parameters)
--

Fill the contiguous array `out` with draws of the distribution.

`key` is an array of one uint64, from which and from its place each draw follows. Parameters are
floats, and contiguous arrays of float64 with one element or one for each draw.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
