// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "array/array.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Which scalars out of an integer dtype's range are an OverflowError, as by NumPy's function of the
// same kind; a cast takes the others. A Python integer is an error everywhere.
enum class RangeCheck {
  python_integers,
  python_numbers,
  elements,  // Python's numbers and, for a dtype with a sign, NumPy's scalars
};

// A value that may be written to elements of dtype `target`: a GPUArray, a scalar, or a list or
// tuple of scalars, nested or not. A list is converted as NumPy's assignment does and copied to
// `device` on its current stream; without a `target` it has the dtype that NumPy gives it. Borrows
// the Python object. Throws TypeError "<what>: ..." for anything else and for a complex scalar that
// goes to real elements, ValueError or OverflowError for NaN and infinity that go to integers, and
// OverflowError for what `check` says.
class AssignedValue {
 public:
  AssignedValue(PyObject* value, std::optional<DType> target, Device device, const char* what,
                RangeCheck check = RangeCheck::python_numbers);
  AssignedValue(const AssignedValue&) = delete;
  AssignedValue& operator=(const AssignedValue&) = delete;

  operator const Operand&() const { return operand_; }
  const Operand& operand() const { return operand_; }
  const std::optional<Array>& copied() const { return copied_; }  // the copy of a list

 private:
  std::optional<Array> copied_;
  Operand operand_;
};

}  // namespace gpuarray::py
