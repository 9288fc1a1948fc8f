// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/operations/assigned_value.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "array/ops.hpp"
#include "backend/backend.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "py/convert/array_object.hpp"
#include "py/convert/convert.hpp"
#include "py/convert/numpy.hpp"
#include "py/operations/elementwise.hpp"

namespace gpuarray::py {
namespace {

// Throws OverflowError unless the scalar, rounded towards zero, is in the range of the integers.
void require_range(const Scalar& scalar, DType target) {
  if (is_integer(scalar.dtype)) {
    const bool is_signed = kind(scalar.dtype) == 'i';
    Scalar integer = cast_scalar(scalar, is_signed ? DType::int64 : DType::uint64);
    integer.weak = true;  // as cast_scalar checks Python's integers
    cast_scalar(integer, target);
    return;
  }
  const double value = cast_scalar(scalar, DType::float64).as<double>();
  const bool is_signed = kind(target) == 'i';
  const double end = std::ldexp(1.0, 8 * itemsize(target) - (is_signed ? 1 : 0));
  const double rounded = std::trunc(value);
  if (rounded < end && rounded >= (is_signed ? -end : 0)) return;
  char text[32];
  std::snprintf(text, sizeof(text), "%.15g", value);
  throw OverflowError(std::string("number ") + text + " out of bounds for " + name(target));
}

// Throws as NumPy does for a scalar that elements of `target` cannot hold.
void check_scalar(const Scalar& scalar, DType target, const char* what, RangeCheck check) {
  if (is_complex(scalar.dtype) && !is_complex(target) && target != DType::bool_)
    throw TypeError(std::string(what) + ": cannot convert a complex scalar to " + name(target));
  if (!is_integer(target)) return;
  if (kind(scalar.dtype) == 'f') {
    const double value = cast_scalar(scalar, DType::float64).as<double>();
    if (std::isnan(value)) throw ValueError("cannot convert float NaN to integer");
    if (std::isinf(value)) throw OverflowError("cannot convert float infinity to integer");
  }
  // The cast of a Python integer checks it.
  const bool checked = scalar.weak ? kind(scalar.dtype) == 'f' && !scalar.oversized &&
                                         check != RangeCheck::python_integers
                                   : check == RangeCheck::elements && kind(target) == 'i';
  if (checked && scalar.dtype != DType::bool_) require_range(scalar, target);
}

// Returns whether there is an array in the list, nested or not. Throws TypeError for what is
// neither an array nor a scalar: NumPy would convert text to numbers.
bool holds_array(PyObject* list, const char* what, int depth = 1) {
  if (depth > kMaxDims)
    throw ValueError(std::string(what) + ": lists are nested deeper than " +
                     std::to_string(kMaxDims) + " dimensions");
  const Py_ssize_t count = PySequence_Size(list);
  bool found = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Ref item = checked(PySequence_GetItem(list, i));
    if (is_list(item.get()))
      found |= holds_array(item.get(), what, depth + 1);
    else if (is_array(item.get()))
      found = true;
    else if (!as_operand(item.get()))
      throw TypeError(std::string(what) + ": expected scalars and GPUArrays in a list, got " +
                      type_name(item.get()));
  }
  return found;
}

Array copied_list(PyObject* list, std::optional<DType> target, Device device, const char* what) {
  if (holds_array(list, what)) {
    const Ref stacked = array_of_operand(what, list, device);
    return as_array(stacked.get());
  }
  if (target == DType::bfloat16) target = DType::float64;  // NumPy has no bfloat16 of its own
  const Ref host = as_host_array(list, target);
  const HostArray from = host_array(host.get());
  const Array made = ops::empty(from.shape, from.dtype, device);
  ops::copy_from_host(made, from.bytes());
  return made;
}

}  // namespace

AssignedValue::AssignedValue(PyObject* value, std::optional<DType> target, Device device,
                             const char* what, RangeCheck check) {
  if (std::optional<Operand> operand = as_operand(value)) {
    operand_ = *operand;
    if (check == RangeCheck::elements && is_ndarray(value)) check = RangeCheck::python_numbers;
    if (target && operand->array() == nullptr)
      check_scalar(operand->scalar(), *target, what, check);
    return;
  }
  if (!is_list(value))
    throw TypeError(std::string(what) +
                    ": expected a GPUArray, a scalar or a list of scalars, got " +
                    type_name(value) + "; convert with gpuarray.to_device(x)");
  copied_ = copied_list(value, target, device, what);
  operand_ = *copied_;
}

}  // namespace gpuarray::py
