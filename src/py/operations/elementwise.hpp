// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "core/op.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Calls ops::elementwise; releases the GIL if that runs long on the host. If all operands are
// scalars, the result is an array without dimensions on the default device.
Array run_elementwise(Op op, std::span<const Operand> operands, const Array* out = nullptr,
                      std::optional<DType> dtype = std::nullopt);

// The operands of one operation, at most three, stored without an allocation.
struct Operands {
  Operands() {}

  union {
    Operand items[3];  // `count` of them are set
  };
  std::size_t count = 0;

  operator std::span<const Operand>() const { return {items, count}; }
};

// Converts objects to operands, which borrow from the objects. Returns nullopt if one is neither a
// GPUArray nor a scalar; throws TypeError, which names gpuarray.to_device, if that one is an
// ndarray.
std::optional<Operands> as_operands(const char* what, std::span<PyObject* const> objects);

// Returns a new GPUArray on `device` for a list, tuple or number that stands for an array, null for
// other objects. Throws TypeError, named by `what`, for a list of anything but numbers and
// GPUArrays.
Ref array_of_operand(const char* what, PyObject* object, Device device);

// Returns the objects with arrays in the place of lists and tuples, on the device of the other
// operands or of `out` (null if not given); empty if there is no list.
std::vector<Ref> arrays_of_lists(const char* what, std::span<PyObject* const> objects,
                                 PyObject* out);

// If one of the objects has __gpuarray_function__, calls it with the name of the function, the
// objects and the keyword arguments that are given. Returns null if none has.
struct NamedArgument {
  const char* name;
  PyObject* value;  // null if not given
};
Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords);
// Does the same with the method of `overrider`.
Ref call_override(const char* name, std::span<PyObject* const> objects,
                  std::initializer_list<NamedArgument> keywords, PyObject* overrider);

// Throws the TypeError for operands of which one is neither a GPUArray nor a scalar.
[[noreturn]] void refuse_operands(const char* what, std::span<PyObject* const> objects);

}  // namespace gpuarray::py
