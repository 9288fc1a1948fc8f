// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/operations/matmul.hpp"
#include "py/operations/parts.hpp"

#include <array>

#include "backend/host/host.hpp"
#include "core/error.hpp"
#include "core/made_first.hpp"
#include "py/binding/arguments.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/gil.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/current_stream.hpp"
#include "py/convert/lent_ndarray.hpp"
#include "runtime/libraries/matmul_precision.hpp"

namespace gpuarray::py {
namespace {

// Converts alpha or beta to a scalar. Throws TypeError for anything else.
Scalar to_factor(PyObject* object, const char* what) {
  const std::optional<Operand> operand = as_operand(object);
  if (!operand || operand->array() != nullptr)
    throw TypeError(std::string("matmul: ") + what + ": expected a number, got " +
                    type_name(object));
  return operand->scalar();
}

// Implements the keywords of numpy.matmul that ops::matmul does not have, in Python.
Ref call_as_ufunc(PyObject* x1, PyObject* x2, PyObject* out,
                  const std::array<PyObject*, 4>& given) {
  constexpr const char* kNames[] = {"axes", "dtype", "casting", "order"};
  Ref options = checked(PyDict_New());
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k] != nullptr)
      checked_status(PyDict_SetItemString(options.get(), kNames[k], given[k]));
  const Ref function = import_attribute("gpuarray._ufuncs.ufunc_call", "call_function");
  return call_python(PyObject_CallFunction, function.get(), "s(OO)OO", "matmul", x1, x2,
                     or_none(out), options.get());
}

// The arguments of a product, borrowed; null where not given.
struct ProductArguments {
  PyObject *x1, *x2, *out, *alpha, *beta, *axes, *dtype, *casting, *order, *stream;
};

Ref multiply(const ProductArguments& given) {
  PyObject* objects[] = {given.x1, given.x2};
  auto operands = as_operands("matmul", objects);
  if (!operands) {
    if (Ref made = call_override("matmul", objects, {{"out", given.out}})) return made;
    const std::vector<Ref> arrays = arrays_of_lists("matmul", objects, given.out);
    if (arrays.empty()) refuse_operands("matmul", objects);
    ProductArguments converted = given;
    converted.x1 = arrays[0].get();
    converted.x2 = arrays[1].get();
    return multiply(converted);
  }
  const Array* target = optional_array(given.out, "out");
  std::optional<StreamScope> scope;
  const Array* first = operands->items[0].array();
  if (given.stream != nullptr && first != nullptr) scope.emplace(given.stream, first->device());
  const bool scaled = given.alpha != nullptr || given.beta != nullptr;
  if (given.axes != nullptr || given.dtype != nullptr || given.casting != nullptr ||
      given.order != nullptr) {
    if (scaled)
      throw TypeError("matmul: alpha and beta do not go with axes, dtype, casting and order");
    return call_as_ufunc(given.x1, given.x2, given.out,
                         {given.axes, given.dtype, given.casting, given.order});
  }
  ops::MatmulScale scale;
  if (given.alpha != nullptr) scale.alpha = to_factor(given.alpha, "alpha");
  if (given.beta != nullptr) scale.beta = to_factor(given.beta, "beta");
  Array result = run_matmul(*operands, target, scaled ? &scale : nullptr);
  return target == nullptr ? new_array(std::move(result)) : Ref::borrow(given.out);
}

Ref matmul(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<10> kSignature{
      "matmul",
      {"x1", "x2", "out", "alpha", "beta", "axes", "dtype", "casting", "order", "stream"},
      2,
      3,
      2};
  auto [x1, x2, out, alpha, beta, axes, dtype, casting, order, stream] =
      parse(kSignature, args, nargs, kwnames);
  return multiply({x1, x2, out, alpha, beta, axes, dtype, casting, order, stream});
}

Ref vdot(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static constexpr Signature<3> kSignature{"_vdot", {"what", "a", "b"}, 3, 3, 3};
  auto [what, left, right] = parse(kSignature, args, nargs, kwnames);
  const std::string name = to_text(what, "what");
  const Array& a = require_array(left, name.c_str());
  const Array& b = require_array(right, name.c_str());
  return new_array(without_gil_if(runs_long(a.device(), a.size()),
                                  [&] { return ops::vdot(name.c_str(), a, b); }));
}

constexpr const char* kPrecisions[] = {"highest", "high"};

MatmulPrecision to_precision(PyObject* object) {
  if (object == Py_None) return MatmulPrecision::of_process;
  const std::string text = to_text(object, "precision");
  for (int index = 0; index < 2; ++index)
    if (text == kPrecisions[index]) return static_cast<MatmulPrecision>(index);
  throw ValueError("precision: expected 'highest' or 'high', got '" + text + "'");
}

Ref precision_text(MatmulPrecision precision) {
  if (precision == MatmulPrecision::of_process) return none();
  return py_string(kPrecisions[static_cast<int>(precision)]);
}

Ref get_precision(PyObject*, PyObject*) { return precision_text(matmul_precision()); }

Ref set_precision(PyObject*, PyObject* object) {
  const MatmulPrecision precision = to_precision(object);
  if (precision == MatmulPrecision::of_process)
    throw ValueError("precision: expected 'highest' or 'high', got None");
  set_matmul_precision(precision);
  return none();
}

Ref set_thread_precision(PyObject*, PyObject* object) {
  return precision_text(set_thread_matmul_precision(to_precision(object)));
}

// Matrices of a MatmulPlan in memory of the buffer. Strides are in elements.
struct HostMatrices {
  Buffer& buffer;
  void* data;
  const Strides& batch_strides;
  const int64_t (&strides)[2];
  bool writable;
};

// Returns an ndarray over a batch of matrices.
Ref ndarray_of(const HostMatrices& matrices, const Shape& batch, int64_t rows, int64_t columns,
               DType dtype) {
  Shape shape = batch;
  Strides strides = matrices.batch_strides;
  shape.push_back(rows);
  shape.push_back(columns);
  strides.push_back(matrices.strides[0]);
  strides.push_back(matrices.strides[1]);
  return lent_ndarray(matrices.buffer, matrices.data, shape, strides, dtype, matrices.writable);
}

// Multiplies matrices of the cpu device by NumPy, whose BLAS is faster than a plain loop. Takes the
// GIL.
void multiply_by_numpy(DType dtype, const MatmulPlan& plan) {
  const GilHold gil;
  static constinit MadeFirst<Ref> made;
  const Ref& function =
      made.get([] { return import_attribute("gpuarray._common.host_products", "multiply"); });
  const HostMatrices left{*plan.a_buffer, const_cast<void*>(plan.a), plan.a_batch, plan.a_strides,
                          false};
  const HostMatrices right{*plan.b_buffer, const_cast<void*>(plan.b), plan.b_batch, plan.b_strides,
                           false};
  const HostMatrices product{*plan.target_buffer, plan.target, plan.target_batch,
                             plan.target_strides, true};
  const Ref a = ndarray_of(left, plan.batch, plan.m, plan.k, dtype);
  const Ref b = ndarray_of(right, plan.batch, plan.k, plan.n, dtype);
  const Ref target = ndarray_of(product, plan.batch, plan.m, plan.n, dtype);
  call_python(PyObject_CallFunctionObjArgs, function.get(), a.get(), b.get(), target.get(),
              nullptr);
}

}  // namespace

Array run_matmul(const Operands& operands, const Array* out, const ops::MatmulScale* scale) {
  const Array* a = operands.items[0].array();
  const Array* b = operands.items[1].array();
  if (a == nullptr || b == nullptr)
    throw ValueError("matmul: expected two arrays, got a scalar; use * instead");
  const int64_t columns = b->ndim() > 1 ? b->shape().back() : 1;
  return without_gil_if(runs_long(a->device(), a->size() * columns),
                        [&] { return ops::matmul(*a, *b, out, scale); });
}

void set_up_matmul() { host::set_matmul_library(multiply_by_numpy); }

MethodRows matmul_function_rows() {
  static const PyMethodDef rows[] = {
      {"matmul", method<matmul>, METH_FASTCALL | METH_KEYWORDS,
       R"(matmul($module, x1, x2, /, out=None, *, alpha=1, beta=0, axes=None, dtype=None, casting='same_kind', order='K', stream=None)
--

alpha * (x1 @ x2) + beta * out: the product of 1-d, 2-d or batched operands.

Operands are GPUArrays of one device, of shapes (..., m, k) and (..., k, n) whose leading axes
broadcast; one of shape (k,) is a row or a column, and its axis of extent 1 is left out. The
result is a new array or `out`, of any layout, which may overlap the operands. `axes`, `dtype`,
`casting` and `order` are NumPy's, and go with neither factor. beta needs `out`; with beta 0 it
is not read. float16 and bfloat16 are summed in float32, float32 as set_matmul_precision says.
Queued on `stream`, by default the device's current one. ValueError for shapes that do not fit,
TypeError for factors of a higher kind than the result.)"},
      {"_vdot", method<vdot>, METH_FASTCALL | METH_KEYWORDS,
       R"(_vdot($module, what, a, b, /)
--

The sum of conj(a) * b over two vectors of one length: a 0-d array. `what` is named in errors.)"},
      {"get_matmul_precision", method<get_precision>, METH_NOARGS,
       R"(get_matmul_precision()
--

'highest' or 'high': this thread's precision of products (matmul_precision), else the
process's.)"},
      {"set_matmul_precision", method<set_precision>, METH_O,
       R"(set_matmul_precision(precision, /)
--

Sets in what products of float32 and complex64 are computed, by all threads of the process.

'highest', as at the start: in float32. 'high': TF32 is allowed, whose factors have 10 bits of
mantissa, and which is several times as fast on CUDA devices. A captured graph keeps what was
set when it was captured.)"},
      {"_set_thread_matmul_precision", method<set_thread_precision>, METH_O,
       R"(_set_thread_matmul_precision(precision, /)
--

The same for this thread; None is the process's. Returns the one before.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
