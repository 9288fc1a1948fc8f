// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>

#include "backend/cuda/paths.hpp"
#include "backend/path.hpp"
#include "core/dims.hpp"
#include "runtime/launch/kernel.hpp"

// Writes the parameters of planned element-wise launches, of operators and of expressions.
namespace gpuarray::paths {

// The bytes that a launch passes to its kernel: a FlatBlock or an AxesBlock of
// kernels/elementwise/walk_params.hpp, with OperatorOperands or ExpressionOperands.
class Parameters {
 public:
  // Both write the block. They throw ValueError if it takes too many bytes.
  void write(const FlatHead& head, const Operands& operands);
  // The inner axes of the head's walk are the last of `axes`. If there is no outer one, as for one
  // long row, that becomes rows of `head.columns` elements.
  template <class Head>
  void write(const Head& head, const Operands& operands, const Dims& axes);
  // Adds the maps of operands after a block of theirs, whose axes are in their own order.
  void add_maps(const Operands& operands, bool general);
  void* data() { return bytes_; }
  // Throws ValueError unless so many bytes are left.
  void require_room(size_t bytes) const;

 private:
  // Returns the memory of the next `count` values.
  template <class T>
  T* take(int count);
  // Write for an operator of `fixed` operands, or for an expression if that is 0.
  template <int fixed>
  void add_operands(const Operands& operands);
  template <int fixed, class Head>
  void write_axes(const Head& head, const Operands& operands, const Dims& axes);

  static constexpr size_t kMostBytes = 4096;  // that one kernel takes
  alignas(16) unsigned char bytes_[kMostBytes];
  size_t size_ = 0;
};

// The grid and the variant of a kernel.
struct Launch {
  LaunchShape shape;
  Variant variant;
};

// Returns the axes of a walk: the outer ones, then `across` unless it is -1, then the innermost.
Dims axes_of(const Operands& operands, int across = -1);

// Writes the parameters of the kernel of a path, which is not Path::any, and returns its launch.
Launch fill(Parameters& params, const Operands& operands, Path path);

}  // namespace gpuarray::paths
