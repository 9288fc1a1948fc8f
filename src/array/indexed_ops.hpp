// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>

#include "array/advanced_index.hpp"
#include "array/array.hpp"
#include "core/op.hpp"
#include "kernels/indexing/index_axis.hpp"

// Indexing with arrays, on the current stream of the array's device. An index out of bounds throws
// IndexError "<operation>: index 7 is out of bounds for axis 0 with size 5": at once on the cpu
// device, at the next wait for the device on CUDA. Writing throws ReadOnlyError, ShapeError for
// values that do not broadcast and DeviceError for values on another device before it queues.
namespace gpuarray::ops {

// How indices along one axis are understood.
struct Taking {
  const char* operation;  // the name in error messages, which must live for the process
  IndexMode mode = IndexMode::raise;
  bool distinct = false;  // whether the caller knows that no two indices mean the same element
};

// Returns a[key] as a new array. Throws as resolve_key.
Array get_indexed(const Array& array, std::span<const KeyEntry> key);
// Does a[key] = value, with broadcasting and any cast. The last of several values for an element
// stays. Throws as resolve_key.
void set_indexed(const Array& array, std::span<const KeyEntry> key, const Operand& value);
// Does a[key] = a[key] op value once for each value, also if an index repeats. `value` is converted
// to the array's dtype. Throws as resolve_key.
void combine_indexed(Op op, const Array& array, std::span<const KeyEntry> key, const Operand& value,
                     const char* operation);

// Does numpy.take along an axis. Assigns the result to `out` if that is given, which may overlap
// the others. Returns `out` or a new array. Throws IndexError for an empty axis, and ValueError for
// a result of too many dimensions.
Array take(const Array& source, const Array& indices, int axis, const Taking& how,
           const Array* out = nullptr);
// Returns a new array of the elements at `indices`, which broadcast against the source except along
// `axis`, as numpy.take_along_axis does.
Array take_along(const Array& source, const Array& indices, int axis, const Taking& how);
// Writes `values` to the elements at `indices`, as numpy.put_along_axis does. The last of several
// values for an element stays.
void put_along(const Array& target, const Array& indices, const Operand& values, int axis,
               const Taking& how);

}  // namespace gpuarray::ops
