// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "backend/backend.hpp"
#include "backend/path.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// What an element-wise kernel computes, and the dtypes of its operands in memory.
struct ElementwiseLoop {
  std::optional<Op> op;  // none: dtypes[1] is converted to dtypes[0]
  DType loop;
  int operands;
  DType dtypes[kMaxOperands];

  // Returns the dtype that operand k has if nothing is converted.
  DType natural(int k) const;
  // Returns whether an operand has another dtype than its natural one.
  bool converts() const;
};

// Returns whether the sources of kernels/aot hold this kernel.
bool is_built_ahead(Path path, const ElementwiseLoop& what);

// Returns the kernel of the variant's path on the device; a null handle if it was not built ahead,
// and `compile` is false or it cannot be compiled. Path::any never gives null, and its kernel takes
// operands of any dtypes; it throws CompileError, and DeviceError where the build lacks it and
// there is no compiler.
KernelHandle elementwise_kernel(const Variant& variant, const ElementwiseLoop& what, Device device,
                                bool compile);

}  // namespace gpuarray
