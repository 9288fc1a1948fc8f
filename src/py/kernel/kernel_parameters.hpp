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

// A parameter of a kernel: its place as compiled, and its type as far as a signature tells it.
struct Parameter {
  enum class Kind : uint8_t { unknown, value, pointer };

  size_t offset = 0;  // bytes from the first parameter
  size_t nbytes = 0;
  Kind kind = Kind::unknown;
  bool is_const = false;  // whether the kernel only reads through the pointer
  uint32_t dtypes = 0;  // a bit for each dtype allowed for the value, or behind the pointer; 0: any
  DType dtype = DType::bool_;  // of a value, if `dtypes` is not 0
  std::string text;            // "const float* x"; "" if it is not known

  bool takes(DType given) const {
    return dtypes == 0 || (dtypes >> static_cast<int>(given) & 1) != 0;
  }
};

// A kernel with its parameters, shared by its launches.
struct KernelState {
  std::shared_ptr<UserKernel> kernel;
  std::vector<Parameter> parameters;
  size_t nbytes = 0;  // bytes of all parameters with their padding

  // Returns an argument for error messages: "argument 2 of scale (int n)".
  std::string argument_text(size_t index) const;
  // Returns the parameters for error messages: " (float* x, int n)", or "" if one is not known.
  std::string signature_text() const;
};
using KernelStatePtr = std::shared_ptr<const KernelState>;

// Makes the state of a kernel. `signature` is C text, or whatever else gpuarray._kernels.signature
// takes. If it is null or None, the types are inferred from the kernel's name and its CUDA C++
// `source`, which may be null or None too. Throws ValueError for a signature that does not fit the
// compiled kernel, DeviceError if the driver does not tell the parameters and the signature does
// not either.
KernelStatePtr make_kernel_state(std::shared_ptr<UserKernel> kernel, PyObject* signature,
                                 PyObject* source = nullptr);

}  // namespace gpuarray::py
