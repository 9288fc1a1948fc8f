// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"
#include "backend/path.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// What an element-wise kernel computes, and in which dtypes its operands lie.
struct ElementwiseLoop {
  static constexpr int kCast = 127;  // in the place of an Op: from dtypes[1] to dtypes[0]

  int op;
  DType loop;
  int operands;
  DType dtypes[kMaxOperands];

  // The dtype of operand k where nothing is converted.
  DType natural(int k) const;
  bool converts() const;
};

// What a kernel that is compiled at run time takes for granted of its launches, which halves the
// time to compile it: for rows whether threads take vectors, for tiles the operands that are
// turned.
using Variant = uint32_t;

// Whether the sources of kernels/aot hold this kernel.
bool is_built_ahead(Path path, const ElementwiseLoop& what);

// The kernel on the device. A null handle: it was not built ahead, and `compile` is false or it
// cannot be compiled. Path::any converts only by kCast, and is never null.
KernelHandle elementwise_kernel(Path path, const ElementwiseLoop& what, Device device, bool compile,
                                Variant variant = 0);

}  // namespace gpuarray
