// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <initializer_list>
#include <optional>
#include <span>

#include "array/array.hpp"
#include "core/op.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// ops::elementwise, without the GIL where it takes long. Scalars alone give a 0-d array on the
// default device.
Array run_elementwise(Op op, std::span<const Operand> operands, const Array* out = nullptr,
                      std::optional<DType> dtype = std::nullopt);

// Up to three operands in place.
struct Operands {
  Operand items[3];
  std::size_t count = 0;

  operator std::span<const Operand>() const { return {items, count}; }
};

// All objects as operands; nullopt if one is neither array nor scalar. A TypeError naming
// gpuarray.to_device if that one is an ndarray.
std::optional<Operands> as_operands(const char* what, std::span<PyObject* const> objects);

// What an object with __gpuarray_function__ among these makes of the function called `name`; null
// without one. Keyword arguments that are not given are null.
struct NamedArgument {
  const char* name;
  PyObject* value;
};
Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords);
// What `overrider.__gpuarray_function__` makes of it.
Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords, PyObject* overrider);

// The TypeError for operands of `what` of which one is neither array nor scalar.
[[noreturn]] void refuse_operands(const char* what, std::span<PyObject* const> objects);

}  // namespace gpuarray::py
