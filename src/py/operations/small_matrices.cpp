// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/linalg/small_matrices.hpp"

#include <string>

#include "array/linalg/norms.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/compute.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/parts.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray::py {
namespace {

bool is_true(PyObject* object) { return checked_status(PyObject_IsTrue(object)) != 0; }

// Returns the name of the public function, as is that of NumPy's function.
const char* to_operation(PyObject* object, const char* numpys) {
  return is_given(object) ? kept_for_process(to_text(object, "operation")) : numpys;
}

Ref is_small(PyObject*, PyObject* object) {
  const Array& a = require_array(object, "linalg");
  return py_bool(a.ndim() >= 2 && ops::has_small_matrices(a));
}

Ref are_small_systems(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"_has_small_systems", {"a", "dtype"}, 2};
  const auto [object, dtype] = parse(kSignature, args, nargs, kwnames);
  const Array& a = require_array(object, "solve");
  return py_bool(a.ndim() >= 2 && ops::has_small_systems(a, to_dtype(dtype)));
}

Ref solve(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_small_solve", {"a", "b", "operation"}, 2};
  const auto [a, b, operation] = parse(kSignature, args, nargs, kwnames);
  const char* const what = to_operation(operation, "solve");
  const Array &matrices = require_array(a, what), &columns = require_array(b, what);
  return new_array(compute(matrices, [&] { return ops::small_solve(matrices, columns, what); }));
}

Ref inv(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"_small_inv", {"a", "operation"}, 1};
  const auto [object, operation] = parse(kSignature, args, nargs, kwnames);
  const char* const what = to_operation(operation, "inv");
  const Array& a = require_array(object, what);
  return new_array(compute(a, [&] { return ops::small_inv(a, what); }));
}

Ref det(PyObject*, PyObject* object) {
  const Array& a = require_array(object, "det");
  return new_array(compute(a, [&] { return ops::small_det(a); }));
}

Ref row_norms(PyObject*, PyObject* object) {
  const Array& a = require_array(object, "norm");
  return new_array(compute(a, [&] { return ops::row_norms(a); }));
}

// Returns the array as an object, or None if there is none.
Ref array_or_none(Array&& array) {
  return array.buffer() == nullptr ? none() : new_array(std::move(array));
}

Ref pair(Array&& first, Array&& second) {
  const Ref made[] = {array_or_none(std::move(first)), array_or_none(std::move(second))};
  return checked(PyTuple_Pack(2, made[0].get(), made[1].get()));
}

Ref slogdet(PyObject*, PyObject* object) {
  const Array& a = require_array(object, "slogdet");
  ops::SlogdetResult found = compute(a, [&] { return ops::small_slogdet(a); });
  return pair(std::move(found.sign), std::move(found.logarithm));
}

Ref cholesky(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_small_cholesky", {"a", "upper", "operation"}, 2};
  const auto [object, upper, operation] = parse(kSignature, args, nargs, kwnames);
  const char* const what = to_operation(operation, "cholesky");
  const Array& a = require_array(object, what);
  const bool is_upper = is_true(upper);
  return new_array(compute(a, [&] { return ops::small_cholesky(a, is_upper, what); }));
}

ops::QrMode to_mode(PyObject* object) {
  constexpr const char* kModes[] = {"reduced", "complete", "r", "raw"};
  const std::string text = to_text(object, "mode");
  for (int index = 0; index < 4; ++index)
    if (text == kModes[index]) return static_cast<ops::QrMode>(index);
  throw ValueError("qr: expected mode 'reduced', 'complete', 'r' or 'raw', got '" + text + "'");
}

Ref qr(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<2> kSignature{"_small_qr", {"a", "mode"}, 2};
  const auto [object, mode] = parse(kSignature, args, nargs, kwnames);
  const Array& a = require_array(object, "qr");
  const ops::QrMode chosen = to_mode(mode);
  ops::QrResult found = compute(a, [&] { return ops::small_qr(a, chosen); });
  return pair(std::move(found.q), std::move(found.r));
}

Ref eigh(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{
      "_small_eigh", {"a", "upper", "vectors", "operation"}, 3};
  const auto [object, upper, vectors, operation] = parse(kSignature, args, nargs, kwnames);
  const char* const what = to_operation(operation, "eigh");
  const Array& a = require_array(object, what);
  const bool is_upper = is_true(upper), with_vectors = is_true(vectors);
  ops::EighResult found =
      compute(a, [&] { return ops::small_eigh(a, is_upper, with_vectors, what); });
  return pair(std::move(found.values), std::move(found.vectors));
}

Ref svd(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<4> kSignature{"_small_svd", {"a", "full", "vectors", "operation"}, 3};
  const auto [object, full, vectors, operation] = parse(kSignature, args, nargs, kwnames);
  const char* const what = to_operation(operation, "svd");
  const Array& a = require_array(object, what);
  const bool is_full = is_true(full), with_vectors = is_true(vectors);
  ops::SvdResult found = compute(a, [&] { return ops::small_svd(a, is_full, with_vectors, what); });
  const Ref made[] = {array_or_none(std::move(found.u)), new_array(std::move(found.values)),
                      array_or_none(std::move(found.vh))};
  return checked(PyTuple_Pack(3, made[0].get(), made[1].get(), made[2].get()));
}

}  // namespace

MethodRows small_matrix_function_rows() {
  constexpr int kCall = METH_FASTCALL | METH_KEYWORDS;
  static const PyMethodDef rows[] = {
      {"_has_small_matrices", method<is_small>, METH_O, R"(_has_small_matrices(a, /)
--

Return whether the _small_ functions take matrices of this shape: of 1 to 32 rows and columns.

They take arrays of dtype float32, float64, complex64 or complex128 of a CUDA device, queue their
work on its current stream and do not wait. Results are new. A matrix that is singular, not positive
definite or not finite has results of NaN, and the next wait raises LinAlgError.)"},
      {"_has_small_systems", method<are_small_systems>, kCall,
       R"(_has_small_systems($module, a, dtype)
--

Return whether _small_solve takes matrices of this shape in a dtype.)"},
      {"_small_solve", method<solve>, kCall, R"(_small_solve($module, a, b, operation=None)
--

Return x with a @ x = b, for b of shape (..., n, k) and of a's dtype. The batches broadcast.

`operation` is the public function, which errors name.)"},
      {"_small_inv", method<inv>, kCall, R"(_small_inv($module, a, operation=None)
--

Return the inverses.)"},
      {"_small_det", method<det>, METH_O, R"(_small_det(a, /)
--

Return the determinants.)"},
      {"_row_norms", method<row_norms>, METH_O, R"(_row_norms(a, /)
--

Return the 2-norms along the last axis of a C-contiguous array on a CUDA device.)"},
      {"_small_slogdet", method<slogdet>, METH_O, R"(_small_slogdet(a, /)
--

Return the signs of the determinants and the logarithms of their magnitudes.)"},
      {"_small_cholesky", method<cholesky>, kCall,
       R"(_small_cholesky($module, a, upper, operation=None)
--

Return Cholesky's factor of the lower or the upper triangle, which alone is read.)"},
      {"_small_qr", method<qr>, kCall, R"(_small_qr($module, a, mode)
--

Return Q and R by numpy.linalg.qr's mode; None and R for 'r'.

For 'raw' they are the matrices of reflectors, which NumPy shows transposed, and their factors.)"},
      {"_small_eigh", method<eigh>, kCall,
       R"(_small_eigh($module, a, upper, vectors, operation=None)
--

Return the eigenvalues, ascending, and the eigenvectors, or None, of Hermitian matrices.

Only the lower or the upper triangle is read.)"},
      {"_small_svd", method<svd>, kCall, R"(_small_svd($module, a, full, vectors, operation=None)
--

Return U, the singular values, descending, and V^H; without vectors both are None.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
