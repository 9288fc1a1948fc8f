// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

#include "runtime/code/includes.hpp"

namespace gpuarray {

// What the run-time compiler makes.
enum class CodeForm { kCubin, kPtx, kLtoIr };

// CUDA C++ that may include everything in kernels/, as "kernels/<name>", and what its options say.
struct CompileRequest {
  std::string source;
  std::string name = "gpuarray_kernel.cu";    // the file, in logs
  std::string architecture;                   // "sm_90", "sm_90a" or "compute_90"
  std::vector<std::string> options;           // as NVRTC takes them
  std::vector<std::string> name_expressions;  // what to tell the symbols of, as "&f<float>"
  CodeForm form = CodeForm::kCubin;
};

struct CompileResult {
  std::string code;  // PTX where machine code was asked for that the compiler does not know
  std::string log;   // warnings, "" without any
  std::vector<std::string> lowered_names;  // of the name expressions
};

// Throws CompileError with the compiler's log and the source with line numbers, ValueError for an
// option that it does not know, or DeviceError without a compiler. Takes a tenth of a second: hold
// no lock.
CompileResult compile(const CompileRequest& request);
// The CompileError of a source, whose lines it numbers.
[[noreturn]] void throw_compile_error(const std::string& name, const std::string& log,
                                      const std::string& source);

// The options that this request is compiled with, which are all that the result depends on besides
// the source, the headers and compiler_identity(). Throws DeviceError.
std::vector<std::string> compile_options(const CompileRequest& request);
// The compiler's version and build, as text.
std::string compiler_identity();
// The digest of kernels/.
const std::string& embedded_digest();

// A user's request: C++20 unless its options say otherwise, and the include folders `folders`,
// those of GPUARRAY_INCLUDE_PATH and the compiler's toolkit.
CompileRequest with_defaults(CompileRequest request, const std::vector<std::string>& folders);
// Where such a request's headers are.
IncludePath include_path(const CompileRequest& request);
// The headers that its options put before the source.
std::vector<std::string> pre_included(const CompileRequest& request);

// One of this project's kernels: results are to the last bit those of the kernels that were built
// ahead.
CompileRequest kernel_request(std::string source, int compute_major, int compute_minor);
// Its code for this compute capability, PTX if the compiler does not know it; throws as compile().
std::string compile_cubin(const std::string& source, int compute_major, int compute_minor);

}  // namespace gpuarray
