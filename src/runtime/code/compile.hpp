// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <vector>

#include "runtime/code/embedded.hpp"

namespace gpuarray {

// The forms of code that the run-time compiler makes.
enum class CodeForm { kCubin, kPtx, kLtoIr };

// CUDA C++ source to compile, which may include every header of kernels/ as "kernels/<name>".
struct CompileRequest {
  std::string source;
  std::string name = "gpuarray_kernel.cu";  // name of the file in the compiler's log
  std::string architecture;                 // "sm_90", "sm_90a" or "compute_90"
  std::vector<std::string> options;         // as NVRTC takes them
  // Names whose symbols are asked for, such as "&f<float>".
  std::vector<std::string> name_expressions;
  CodeForm form = CodeForm::kCubin;
  // Headers besides those of kernels/, which the compiler finds before files of the same names.
  std::vector<EmbeddedText> headers = {};
  // Tells the content of the headers that the source includes; "" if that is unknown. If it is
  // known, the compiler may precompile them.
  std::string headers_key = {};
};

// What a request was compiled to.
struct CompileResult {
  // Of the form asked for, but PTX if the compiler does not know the architecture.
  std::string code;
  std::string log;                         // warnings, "" if there are none
  std::vector<std::string> lowered_names;  // symbols of the name expressions, in their order
};

// Compiles a source by NVRTC. It takes a tenth of a second or more, so hold no lock. Throws
// CompileError as throw_compile_error(), ValueError for an option that it
// does not know, DeviceError without a compiler.
CompileResult compile(const CompileRequest& request);
// Throws the CompileError of a source: the lines around each error, the compiler's log and the
// advice, "" if nothing is known.
[[noreturn]] void throw_compile_error(const std::string& name, const std::string& log,
                                      const std::string& source, std::string advice);

// Returns the architectures that the run-time compiler knows, 90 for sm_90. Throws DeviceError
// without a compiler.
std::vector<int> known_architectures();
// Returns the options that a request is compiled with. Besides the source, the headers and
// compiler_identity(), the result depends on nothing else. Throws DeviceError without a compiler.
std::vector<std::string> compile_options(const CompileRequest& request);
// Returns the compiler's version and build as text.
std::string compiler_identity();
// Returns the digest of all headers of kernels/ and standard_headers().
const std::string& embedded_digest();

// Makes the request of one of this project's kernels, with options by which results equal those of
// the kernels built ahead, to the last bit.
CompileRequest kernel_request(std::string source, int compute_major, int compute_minor);
// Compiles a kernel of this project for this compute capability: machine code, or PTX if the
// compiler does not know it. Throws as compile().
std::string compile_cubin(const std::string& source, int compute_major, int compute_minor);

}  // namespace gpuarray
