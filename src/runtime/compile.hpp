// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

namespace gpuarray {

// Compiles CUDA C++ that may include everything in kernels/ and no other header; results are to the
// last bit those of the kernels that were built ahead. Gives the machine code for this compute
// capability, PTX if the compiler does not know it. Throws CompileError with the compiler's log and
// the source, or DeviceError without a compiler. Takes a tenth of a second: hold no lock.
std::string compile_cubin(const std::string& source, int compute_major, int compute_minor);

// What the result depends on besides the source and the headers, as text. Throws DeviceError.
std::string compiler_settings(int compute_major, int compute_minor);

}  // namespace gpuarray
