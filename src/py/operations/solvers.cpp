// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The steps of which gpuarray/_linalg puts the functions of gpuarray.linalg together for CUDA
// devices. They may take long on the host, so that they run without the GIL.
#include <initializer_list>
#include <vector>

#include "array/linalg/solvers.hpp"
#include "core/error.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/parts.hpp"

namespace gpuarray::py {
namespace {

// The arguments of a step, the last of which is the name of the public function.
class StepArguments {
 public:
  StepArguments(PyObject* const* args, Py_ssize_t given, Py_ssize_t expected) : args_(args) {
    if (given != expected)
      throw TypeError("expected " + std::to_string(expected) + " arguments, got " +
                      std::to_string(given));
    operation_ = kept_for_process(to_text(args[expected - 1], "operation"));
  }
  const Array& array(int k) const { return require_array(args_[k], operation_); }
  bool flag(int k) const { return checked_status(PyObject_IsTrue(args_[k])) != 0; }
  int64_t number(int k) const { return to_int64(args_[k]); }
  PyObject* object(int k) const { return args_[k]; }
  const char* operation() const { return operation_; }

 private:
  PyObject* const* args_;
  const char* operation_;
};

// Returns a tuple of the arrays, with None for those that were not made.
Ref tuple_of(std::initializer_list<Array> arrays) {
  Ref made = checked(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
  Py_ssize_t k = 0;
  for (const Array& array : arrays)
    PyTuple_SetItem(made.get(), k++,
                    (array.buffer() == nullptr ? none() : new_array(Array(array))).release());
  return made;
}

Ref lu(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 2);
  const Array& a = given.array(0);
  const ops::Lu made = without_gil([&] { return ops::lu(a, given.operation()); });
  return tuple_of({made.pivots, made.info});
}

Ref lu_solve(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 5);
  const Array &factors = given.array(0), &pivots = given.array(1), &b = given.array(2);
  const int transpose = static_cast<int>(given.number(3));
  without_gil([&] { ops::lu_solve(factors, pivots, b, transpose, given.operation()); });
  return none();
}

Ref lu_det(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 5);
  const Array& factors = given.array(0);
  const ops::Lu lu{given.array(1), given.array(2)};
  const bool logarithms = given.flag(3);
  const ops::Determinant made =
      without_gil([&] { return ops::determinant(factors, lu, logarithms, given.operation()); });
  return logarithms ? tuple_of({made.sign, made.logarithm}) : new_array(Array(made.det));
}

Ref row_order(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 2);
  const Array& pivots = given.array(0);
  return new_array(without_gil([&] { return ops::row_order(pivots, given.operation()); }));
}

Ref triangular_solve(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 6);
  const Array &a = given.array(0), &b = given.array(1);
  const bool upper = given.flag(2), unit = given.flag(3);
  const int transpose = static_cast<int>(given.number(4));
  without_gil([&] { ops::triangular_solve(a, b, upper, unit, transpose, given.operation()); });
  return none();
}

Ref cholesky(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 3);
  const Array& a = given.array(0);
  const bool upper = given.flag(1);
  return new_array(without_gil([&] { return ops::cholesky(a, upper, given.operation()); }));
}

Ref qr(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 2);
  const Array& a = given.array(0);
  return new_array(without_gil([&] { return ops::qr(a, given.operation()); }));
}

Ref form_q(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 3);
  const Array &a = given.array(0), &tau = given.array(1);
  without_gil([&] { ops::form_q(a, tau, given.operation()); });
  return none();
}

Ref eigh(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 4);
  const Array& a = given.array(0);
  const bool upper = given.flag(1), vectors = given.flag(2);
  const ops::Spectrum found =
      without_gil([&] { return ops::eigh(a, upper, vectors, given.operation()); });
  return tuple_of({found.values, found.info});
}

Ref svd(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 3);
  const Array& a = given.array(0);
  const int64_t columns = given.number(1);
  const ops::Spectrum found = without_gil([&] { return ops::svd(a, columns, given.operation()); });
  return tuple_of({found.u, found.values, found.vt, found.info});
}

Ref eig(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 3);
  const Array& a = given.array(0);
  const bool vectors = given.flag(1);
  const ops::Spectrum found = without_gil([&] { return ops::eig(a, vectors, given.operation()); });
  return tuple_of({found.values, found.u, found.info});
}

Ref note_failures(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  const StepArguments given(args, nargs, 4);
  const Array& info = given.array(0);
  const int64_t kind = given.number(1);
  if (kind < static_cast<int>(NotedKind::singular) ||
      kind > static_cast<int>(NotedKind::not_finite))
    throw ValueError("kind: expected a number from 1 to 4, got " + std::to_string(kind));
  const KeptVector<Array> results = require_arrays(given.object(2), given.operation());
  ops::note_failures(info, static_cast<NotedKind>(kind), results, given.operation());
  return none();
}

}  // namespace

MethodRows solver_function_rows() {
  static const PyMethodDef rows[] = {
      {"_lu", method<lu>, METH_FASTCALL,
       R"(_lu($module, a, operation, /)
--

Factorize the transposes of matrices in place, P A = L U, and return the pivots and the status.)"},
      {"_lu_solve", method<lu_solve>, METH_FASTCALL,
       R"(_lu_solve($module, factors, pivots, b, transpose, operation, /)
--

Solve op(A) X = B in place of b, which holds a right side a row; op by `transpose`, 0, 1 or 2.)"},
      {"_lu_det", method<lu_det>, METH_FASTCALL,
       R"(_lu_det($module, factors, pivots, info, logarithms, operation, /)
--

Return the determinants of what _lu has factorized, or (signs, logarithms of magnitudes).)"},
      {"_lu_row_order", method<row_order>, METH_FASTCALL,
       R"(_lu_row_order($module, pivots, operation, /)
--

Return the int64 order of rows that pivots stand for.)"},
      {"_triangular_solve", method<triangular_solve>, METH_FASTCALL,
       R"(_triangular_solve($module, a, b, upper, unit, transpose, operation, /)
--

Solve op(A) X = B for a triangular A, the transpose of `a`, in place of b, a right side a row.)"},
      {"_cholesky", method<cholesky>, METH_FASTCALL,
       R"(_cholesky($module, a, upper, operation, /)
--

Factorize hermitian matrices in place, from one triangle, and return the status.)"},
      {"_qr", method<qr>, METH_FASTCALL,
       R"(_qr($module, a, operation, /)
--

Factorize the transposes of matrices in place, A = Q R, and return tau.)"},
      {"_form_q", method<form_q>, METH_FASTCALL,
       R"(_form_q($module, a, tau, operation, /)
--

Replace reflectors, one a row, by the columns of Q, one a row.)"},
      {"_eigh", method<eigh>, METH_FASTCALL,
       R"(_eigh($module, a, upper, vectors, operation, /)
--

Return the eigenvalues of the transposes of hermitian matrices, and the status.

The eigenvectors take the place of the matrices, one a row. May wait.)"},
      {"_svd", method<svd>, METH_FASTCALL,
       R"(_svd($module, a, columns, operation, /)
--

Return U, singular values, V^H and status of the transposes of matrices, which it destroys.

U has `columns` columns, one a row; V^H lies column by column. Both are None for 0. Waits.)"},
      {"_eig", method<eig>, METH_FASTCALL,
       R"(_eig($module, a, vectors, operation, /)
--

Return eigenvalues, right eigenvectors, one a row, and status of the transposes. Waits.)"},
      {"_note_failures", method<note_failures>, METH_FASTCALL,
       R"(_note_failures($module, info, kind, results, operation, /)
--

Note an error of the first matrix with a positive status, and fill its results with NaN.

Kinds: 1 singular, 2 not positive definite, 3 no convergence, 4 not finite.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
