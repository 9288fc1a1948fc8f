// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/assigned_value.hpp"

#include <cmath>
#include <string>

#include "backend/backend.hpp"
#include "core/error.hpp"
#include "py/convert.hpp"

namespace gpuarray::py {
namespace {

void check_scalar(const Scalar& scalar, DType target, const char* what) {
  if (is_complex(scalar.dtype) && !is_complex(target) && target != DType::bool_)
    throw TypeError(std::string(what) + ": cannot convert a complex scalar to " + name(target));
  if (kind(scalar.dtype) != 'f' || !is_integer(target)) return;
  const double value = cast_scalar(scalar, DType::float64).as<double>();
  if (std::isnan(value)) throw ValueError("cannot convert float NaN to integer");
  if (std::isinf(value)) throw OverflowError("cannot convert float infinity to integer");
}

}  // namespace

Operand assigned_value(PyObject* value, DType target, const char* what) {
  std::optional<Operand> operand = as_operand(value);
  if (!operand)
    throw TypeError(std::string(what) + ": expected a GPUArray or a scalar, got " +
                    type_name(value) + "; convert with gpuarray.to_device(x)");
  if (operand->array() == nullptr) check_scalar(operand->scalar(), target, what);
  return *operand;
}

}  // namespace gpuarray::py
