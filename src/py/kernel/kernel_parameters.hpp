// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "py/binding/ref.hpp"
#include "runtime/launch/user_kernel.hpp"

namespace gpuarray::py {

// A parameter as compiled, and as far as a signature tells its type.
struct Parameter {
  enum class Kind : uint8_t { unknown, value, pointer };

  size_t offset = 0;  // bytes
  size_t nbytes = 0;
  Kind kind = Kind::unknown;
  bool is_const = false;       // a pointer through which the kernel only reads
  uint32_t dtypes = 0;         // of the value, or of what is pointed to: a bit each; 0 for any
  DType dtype = DType::bool_;  // of a value, where dtypes is not 0
  std::string text;            // "const float* x", "" where it is not known

  bool takes(DType given) const {
    return dtypes == 0 || (dtypes >> static_cast<int>(given) & 1) != 0;
  }
};

// A kernel with its parameters; launches share it.
struct KernelState {
  std::shared_ptr<UserKernel> kernel;
  std::vector<Parameter> parameters;
  size_t nbytes = 0;  // of all parameters

  // "argument 2 of scale (int n)".
  std::string place(size_t index) const;
  // " (float* x, int n)", "" where nothing is known of them.
  std::string signature_text() const;
};
using KernelStatePtr = std::shared_ptr<const KernelState>;

// With the types of `signature`: text in C or what else gpuarray._kernels.signature takes. Null and
// None: those that the kernel's name or its CUDA C++ `source` (null or None for none) tell. Throws
// ValueError unless the signature fits what was compiled.
KernelStatePtr make_kernel_state(std::shared_ptr<UserKernel> kernel, PyObject* signature,
                                 PyObject* source = nullptr);

}  // namespace gpuarray::py
