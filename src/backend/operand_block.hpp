// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace gpuarray {

// Operands in memory that an element-wise computation over one shape reads and writes, at most
// `most` of them. The block borrows all memory that it points to.
template <int most>
struct OperandBlock {
  Shape shape;       // the axes are collapsed
  int64_t size = 0;  // elements
  int operand_count = 0;
  DType dtypes[most];
  void* data[most];
  Strides strides[most];  // elements
  // The target's shape before its axes were collapsed, which error messages show. It must outlive
  // the block; null means `shape`.
  const Shape* target_shape = nullptr;

  // Adds an operand and returns its strides, which the caller fills.
  Strides& add(DType dtype, const void* address) {
    dtypes[operand_count] = dtype;
    data[operand_count] = const_cast<void*>(address);
    return strides[operand_count++];
  }
  // Returns the strides of all operands.
  std::span<Strides> all_strides() { return {strides, static_cast<size_t>(operand_count)}; }
};

}  // namespace gpuarray
