// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

// How an element-wise kernel walks its operands. `any` takes any strides, `flat` needs contiguous
// operands, `rows` walks row by row, `tile` reads turned operands through shared memory, and
// `merged` walks the rows of a contiguous result as one.
enum class Path : uint8_t { any, flat, rows, tile, merged };

// What a kernel that is compiled at run time takes for granted of its launches.
struct Variant {
  Path path;
  int dims = 0;          // axes of an expression that all but the flat walk have, at least two
  bool vectors = false;  // whether a thread takes several neighbouring elements at once
  bool wide = false;     // whether the numbers of rows or blocks need 64 bits
  uint32_t turned = 0;   // bit k: operand k is read along the axis across the innermost one
  bool is_long = false;  // whether rows are walked by kernels/expression/long_rows.cuh
  uint32_t units = 0;    // with which, or with maps, bit k: operand k steps by one element
  // Of expressions that reduce rows, as RowPlan of kernels/expression/reduced_rows.cuh.
  int lanes = 0, rounds = 0;
  bool held = false;
  int staged = 0;
  // Of those, and of merged rows: bit k: operand k is accessed by vectors.
  uint32_t vector_operands = 0;
  // Of rows with index maps: bit k: operand k has one along the outer axes, or along the columns.
  uint32_t outer_maps = 0, column_maps = 0;
  uint32_t hole_maps = 0;     // bit k: its map has holes
  bool general_maps = false;  // see AxisMap
  bool has_single = false;    // whether an operand of an expression is one element, read everywhere

  bool has_maps() const { return (outer_maps | column_maps) != 0; }
};

}  // namespace gpuarray
