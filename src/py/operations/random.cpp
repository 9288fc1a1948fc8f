// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/random/draws.hpp"

#include <cstdint>
#include <span>
#include <string>

#include "array/ops.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/slot.hpp"
#include "py/binding/values.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/operations/parts.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray::py {
namespace {

constexpr const char* kGenerators[] = {
#define GPUARRAY_BIT_GENERATOR(name, ...) #name,
#include "kernels/random/draws.def"
};
constexpr const char* kDraws[] = {
#define GPUARRAY_DRAW(name, ...) #name,
#include "kernels/random/draws.def"
};
constexpr int kItemsizes[] = {
#define GPUARRAY_DRAW(name, kind, type, bits, bytes) bytes,
#include "kernels/random/draws.def"
};

// Returns the place of a name in a table. Throws ValueError.
int to_place(PyObject* name, std::span<const char* const> names, const char* what) {
  for (size_t k = 0; PyUnicode_Check(name) && k < names.size(); ++k)
    if (PyUnicode_CompareWithASCIIString(name, names[k]) == 0) return static_cast<int>(k);
  throw ValueError(std::string(what) + ": not known");
}

double to_double(PyObject* object) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

// Converts an int modulo 2^64.
uint64_t to_wrapped(PyObject* object) {
  const uint64_t value = PyLong_AsUnsignedLongLongMask(object);
  if (value == ~uint64_t{0} && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

// A generator's state: its kind, and its array in device memory.
struct State {
  BitGenerator generator;
  const Array& array;
};

State to_state(PyObject* generator, PyObject* state) {
  const Array& array = require_array(state, "random");
  const int64_t nbytes = array.size() * itemsize(array.dtype());
  if (!array.is_c_contiguous() || nbytes < kRandomStateBytes)
    throw ValueError("random: expected a contiguous state of " + std::to_string(kRandomStateBytes) +
                     " bytes, got " + std::to_string(nbytes));
  return {static_cast<BitGenerator>(to_place(generator, kGenerators, "bit generator")), array};
}

// Returns the array to draw into: a new one, or `out`, which must be fit for it.
Array to_target(PyObject* out, PyObject* size, DType dtype, const Array& state) {
  if (!is_given(out))
    return ops::empty(is_given(size) ? to_shape(size) : Shape{}, dtype, state.device());
  const Array& given = require_array(out, "random: out");
  if (given.device() != state.device() || given.dtype() != dtype || !given.is_c_contiguous() ||
      reinterpret_cast<uintptr_t>(given.address()) % 16 != 0)
    throw ValueError("random: out is not a contiguous, aligned array of the draw's dtype");
  return given;
}

Ref draw(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<7> kSignature{
      "_random_draw", {"generator", "state", "draw", "size", "out", "loc", "scale"}, 4};
  const auto [generator, state, what, size, out, loc, scale] =
      parse(kSignature, args, nargs, kwnames);
  const State from = to_state(generator, state);
  const StreamScope scope(nullptr, from.array.device());
  RandomPlan plan{.generator = from.generator,
                  .draw = static_cast<RandomDraw>(to_place(what, kDraws, "draw")),
                  .dtype = DType::float64};
  const bool single = kItemsizes[static_cast<int>(plan.draw)] == 4;
  if (is_given(loc)) {
    plan.loc = to_double(loc);
    plan.scale = to_double(or_none(scale));
  }
  Array target = to_target(out, size, single ? DType::float32 : DType::float64, from.array);
  ops::draw_random(plan, from.array, target);
  return is_given(out) ? Ref::borrow(out) : new_array(std::move(target));
}

Ref draw_integers(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<6> kSignature{"_random_integers",
                                           {"generator", "state", "dtype", "low", "span", "size"}};
  const auto [generator, state, dtype, low, span, size] = parse(kSignature, args, nargs, kwnames);
  const State from = to_state(generator, state);
  const StreamScope scope(nullptr, from.array.device());
  const uint64_t first = to_wrapped(low), more = to_wrapped(span);
  Array target = to_target(nullptr, size, to_dtype(dtype), from.array);
  ops::draw_integers(from.generator, from.array, target, first, more);
  return new_array(std::move(target));
}

Ref refuse_capture(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"_refuse_capture", {"what", "device"}};
  const auto [what, device] = parse(kSignature, args, nargs, kwnames);
  refuse_wait(*current_stream(to_device(device)), to_text(what, "what").c_str());
  return none();
}

}  // namespace

MethodRows random_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_random_draw", method<draw>, kCall,
       R"(_random_draw($module, generator, state, draw, size, out=None, loc=None, scale=None)
--

Return floating point numbers drawn from a state in device memory, which the draw advances.

`generator` and `draw` are names of kernels/random/draws.def. float64 results become
loc + scale * result, if these are given.)"},
      {"_random_integers", method<draw_integers>, kCall,
       R"(_random_integers($module, generator, state, dtype, low, span, size)
--

Return integers from low to low + span, drawn in the order of numpy.random.Generator.integers.)"},
      {"_refuse_capture", method<refuse_capture>, kCall,
       R"(_refuse_capture($module, what, device)
--

Raise CaptureError "<what>: waits for the device ..." if the current stream is captured.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
