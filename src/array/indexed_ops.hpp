// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "array/advanced_index.hpp"
#include "array/array.hpp"
#include "core/op.hpp"
#include "kernels/indexing/index_axis.hpp"

// Indexing with arrays. An index out of bounds is an IndexError "<operation>: index 7 is out of
// bounds for axis 0 with size 5": at once on cpu, at the next wait for the device on cuda.
namespace gpuarray::ops {

// The axis of an array that indices choose from; the other axes are those of `indices` after it.
struct Taking {
  const char* operation;  // lives for the process
  IndexMode mode = IndexMode::raise;
  bool distinct = false;  // no two indices are known to mean one element, where one is written
};

// a[key], a copy.
Array get_indexed(const Array& array, std::span<const KeyEntry> key);
// a[key] = value, with broadcasting and any cast; of several values for an element the last stays.
void set_indexed(const Array& array, std::span<const KeyEntry> key, const Operand& value);
// a[key] = a[key] op value, once for each value. `value` is converted to the array's dtype.
void combine_indexed(Op op, const Array& array, std::span<const KeyEntry> key, const Operand& value,
                     const char* operation);

// numpy.take along an axis, into `out` if given (of the result's shape and the array's dtype).
Array take(const Array& source, const Array& indices, int axis, const Taking& how,
           const Array* out = nullptr);
// Elements at `indices`, which broadcast against the source but for `axis`.
Array take_along(const Array& source, const Array& indices, int axis, const Taking& how);
void put_along(const Array& target, const Array& indices, const Operand& values, int axis,
               const Taking& how);

}  // namespace gpuarray::ops
