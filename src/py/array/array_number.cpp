// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "array/ops.hpp"
#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/array/parts.hpp"
#include "py/binding/call_python.hpp"
#include "py/binding/slot.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/operations/elementwise.hpp"
#include "py/operations/matmul.hpp"

namespace gpuarray::py {

namespace {

template <Op op>
Ref unary(PyObject* self) {
  Operand operands[] = {as_array(self)};
  return new_array(run_elementwise(op, operands));
}

// Returns whether the operand is a sequence without operators of its own, such as a list.
bool is_plain_sequence(PyObject* object) {
  constexpr int kArithmetic[] = {
      Py_nb_add,    Py_nb_subtract, Py_nb_multiply,       Py_nb_true_divide, Py_nb_floor_divide,
      Py_nb_divmod, Py_nb_power,    Py_nb_lshift,         Py_nb_rshift,      Py_nb_and,
      Py_nb_or,     Py_nb_xor,      Py_nb_matrix_multiply};
  return PySequence_Check(object) != 0 && std::ranges::none_of(kArithmetic, [&](int slot) {
           return PyType_GetSlot(Py_TYPE(object), slot) != nullptr;
         });
}

// Leaves the operation to the other operand's type. A plain sequence is refused: Python would
// repeat it by an array without dimensions, or append the array's bytes to it. Throws TypeError
// then.
Ref leave_to_others(const char* what, std::span<PyObject* const> objects) {
  if (std::ranges::any_of(objects, is_plain_sequence)) refuse_operands(what, objects);
  return not_implemented();
}

Ref binary_operator(Op op, PyObject* left, PyObject* right) {
  PyObject* objects[] = {left, right};
  auto operands = as_operands(info(op).name, objects);
  if (!operands) return leave_to_others(info(op).name, objects);
  return new_array(run_elementwise(op, *operands));
}

// Implements `self op= other`, which writes to the memory of self unless that is a value.
Ref inplace_operator(Op op, PyObject* self, PyObject* other) {
  if (as_array(self).is_value()) return binary_operator(op, self, other);
  PyObject* objects[] = {self, other};
  auto operands = as_operands(info(op).name, objects);
  if (!operands) return leave_to_others(info(op).name, objects);
  run_elementwise(op, *operands, &as_array(self));
  return Ref::borrow(self);
}

template <Op op>
Ref binary(PyObject* left, PyObject* right) {
  return binary_operator(op, left, right);
}

template <Op op>
Ref inplace(PyObject* self, PyObject* other) {
  return inplace_operator(op, self, other);
}

void refuse_modulo(PyObject* modulo) {
  if (modulo != Py_None) throw TypeError("pow: a modulo is not supported for GPUArray");
}

// Returns whether the operator squares: NumPy's gives int8 for bools to the Python integer 2, and
// its function `power` int64.
bool squares(PyObject* base, PyObject* exponent) {
  if (!is_array(base) || as_array(base).dtype() != DType::bool_ || !PyLong_CheckExact(exponent))
    return false;
  int overflow = 0;
  return PyLong_AsLongAndOverflow(exponent, &overflow) == 2;
}

Ref power(PyObject* base, PyObject* exponent, PyObject* modulo) {
  refuse_modulo(modulo);
  return squares(base, exponent) ? unary<Op::square>(base)
                                 : binary_operator(Op::power, base, exponent);
}

Ref inplace_power(PyObject* base, PyObject* exponent, PyObject* modulo) {
  refuse_modulo(modulo);
  if (!squares(base, exponent)) return inplace_operator(Op::power, base, exponent);
  if (as_array(base).is_value()) return unary<Op::square>(base);
  Operand operands[] = {as_array(base)};
  run_elementwise(Op::square, operands, &as_array(base));
  return Ref::borrow(base);
}

Ref array_divmod(PyObject* left, PyObject* right) {
  PyObject* objects[] = {left, right};
  auto operands = as_operands("divmod", objects);
  if (!operands) return leave_to_others("divmod", objects);
  Ref quotient = new_array(run_elementwise(Op::floor_divide, *operands));
  Ref remainder = new_array(run_elementwise(Op::remainder, *operands));
  return checked(PyTuple_Pack(2, quotient.get(), remainder.get()));
}

Ref matmul(PyObject* left, PyObject* right, const Array* out) {
  PyObject* objects[] = {left, right};
  auto operands = as_operands("matmul", objects);
  if (!operands) return leave_to_others("matmul", objects);
  Array result = run_matmul(*operands, out);
  return out == nullptr ? new_array(std::move(result)) : Ref::borrow(left);
}

Ref array_matmul(PyObject* left, PyObject* right) { return matmul(left, right, nullptr); }
Ref array_inplace_matmul(PyObject* self, PyObject* other) {
  return matmul(self, other, &as_array(self));
}

Ref array_richcompare(PyObject* left, PyObject* right, int comparison) {
  constexpr Op kOps[] = {Op::less,      Op::less_equal, Op::equal,
                         Op::not_equal, Op::greater,    Op::greater_equal};
  static_assert(Py_LT == 0 && Py_LE == 1 && Py_EQ == 2 && Py_NE == 3 && Py_GT == 4 && Py_GE == 5);
  PyObject* objects[] = {left, right};
  const char* name = info(kOps[comparison]).name;
  auto operands = as_operands(name, objects);
  if (operands) return new_array(run_elementwise(kOps[comparison], *operands));
  // Python would answer False to `a == [1, 2]`, where NumPy compares the elements.
  if (PyList_Check(right) || PyTuple_Check(right)) refuse_operands(name, objects);
  return not_implemented();
}

int array_bool(PyObject* self) {
  const Array& array = as_array(self);
  if (array.size() == 0)
    throw ValueError(
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that "
        "an array is not empty.");
  if (array.size() != 1)
    throw ValueError(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or "
        "a.all(); & and | bind tighter than comparisons: (a > 1) & (a < 3)");
  return cast_scalar(host_element(array), DType::bool_).as<bool>();
}

// Returns the element of an array without dimensions as a Python scalar. Waits for pending work on
// it.
Ref only_element(PyObject* self) {
  const Array& array = as_array(self);
  if (array.ndim() != 0)
    throw TypeError("only 0-dimensional arrays can be converted to Python scalars, got shape " +
                    to_string(array.shape()) +
                    "; write a.item() for one element, a.tolist() for all");
  return from_scalar(host_element(array));
}

// Returns the hash of a value's element, as NumPy's scalars do; values do not change. Waits for
// pending work on it. Throws TypeError for other arrays.
Py_ssize_t array_hash(PyObject* self) {
  if (!as_array(self).is_value())
    throw TypeError(
        "unhashable type: 'GPUArray'; a.item() is hashable, and so are the values that indices and "
        "iteration of a gpuarray.GPUArray give");
  const Py_hash_t hash = PyObject_Hash(only_element(self).get());
  if (hash == -1) throw PythonError();
  return hash;
}

Ref array_int(PyObject* self) { return checked(PyNumber_Long(only_element(self).get())); }
Ref array_float(PyObject* self) { return checked(PyNumber_Float(only_element(self).get())); }

Ref array_index(PyObject* self) {
  const Array& array = as_array(self);
  if (array.ndim() != 0 || !is_integer(array.dtype()))
    throw TypeError("only integer scalar arrays can be converted to a scalar index, got " +
                    std::string(name(array.dtype())) + " of shape " + to_string(array.shape()) +
                    "; write int(a.item()) for one element");
  return from_scalar(host_element(array));
}

Ref array_complex(PyObject* self, PyObject*) {
  Ref element = only_element(self);
  auto* type = reinterpret_cast<PyObject*>(&PyComplex_Type);
  return call_python(PyObject_CallFunctionObjArgs, type, element.get(), nullptr);
}

// Returns the function of a number slot. That of `power` takes a third argument.
template <Op op>
void* binary_slot() {
  if constexpr (op == Op::power) return slot<power, Entry::joins>;
  return slot<binary<op>, Entry::joins>;
}

template <Op op>
void* inplace_slot() {
  if constexpr (op == Op::power) return slot<inplace_power, Entry::joins>;
  return slot<inplace<op>, Entry::joins>;
}

// Slot 0 marks operations without a number slot. Comparisons share tp_richcompare.
constexpr int Py_nb_none = 0, Py_nb_eq = 0, Py_nb_ne = 0, Py_nb_lt = 0, Py_nb_le = 0, Py_nb_gt = 0,
              Py_nb_ge = 0;
constexpr int Py_nb_inplace_none = 0, Py_nb_inplace_eq = 0, Py_nb_inplace_ne = 0,
              Py_nb_inplace_lt = 0, Py_nb_inplace_le = 0, Py_nb_inplace_gt = 0,
              Py_nb_inplace_ge = 0;

std::vector<PyType_Slot> make_slots() {
  std::vector<PyType_Slot> rows = {
#define GPUARRAY_UNARY(name, nb, ...) {Py_nb_##nb, slot<unary<Op::name>, Entry::joins>},
#define GPUARRAY_BINARY(name, nb, ...) \
  {Py_nb_##nb, binary_slot<Op::name>()}, {Py_nb_inplace_##nb, inplace_slot<Op::name>()},
#include "kernels/ops.def"
      {Py_nb_divmod, slot<array_divmod>},
      {Py_nb_matrix_multiply, slot<array_matmul>},
      {Py_nb_inplace_matrix_multiply, slot<array_inplace_matmul>},
      {Py_nb_bool, slot<array_bool>},
      {Py_nb_int, slot<array_int>},
      {Py_nb_float, slot<array_float>},
      {Py_tp_hash, slot<array_hash>},
      {Py_nb_index, slot<array_index>},
      {Py_tp_richcompare, slot<array_richcompare, Entry::joins>},
  };
  std::erase_if(rows, [](const PyType_Slot& row) { return row.slot == 0; });
  return rows;
}

}  // namespace

SlotRows number_slots() {
  static const std::vector<PyType_Slot> rows = make_slots();
  return rows;
}

MethodRows number_method_rows() {
  static const PyMethodDef rows[] = {
      {"__complex__", method<array_complex>, METH_NOARGS,
       R"(__complex__($self, /)
--

The element of a 0-d array as a complex.)"},
  };
  return rows;
}

}  // namespace gpuarray::py
