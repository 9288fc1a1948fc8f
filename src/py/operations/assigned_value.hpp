// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "array/array.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// What may be written to elements of `target`: a GPUArray, a scalar, or a list or tuple of scalars,
// nested or not, which is converted as NumPy's assignment does and copied to the device. Without
// `target` a list has the dtype that NumPy gives it. Borrows the object. TypeError "<what>: ..."
// for anything else and for a complex scalar to real elements; ValueError or OverflowError for what
// integers cannot hold.
class AssignedValue {
 public:
  AssignedValue(PyObject* value, std::optional<DType> target, Device device, const char* what);
  AssignedValue(const AssignedValue&) = delete;
  AssignedValue& operator=(const AssignedValue&) = delete;

  operator const Operand&() const { return operand_; }
  const Operand& operand() const { return operand_; }
  const std::optional<Array>& copied() const { return copied_; }  // of a list

 private:
  std::optional<Array> copied_;
  Operand operand_;
};

}  // namespace gpuarray::py
