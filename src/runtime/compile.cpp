// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/compile.hpp"

#include <sstream>
#include <vector>

#include "core/error.hpp"
#include "runtime/driver.hpp"
#include "runtime/embedded.hpp"
#include "runtime/nvrtc.hpp"

namespace gpuarray {
namespace {

void check_compiler(NvrtcResult status, const char* call) {
  if (status != kNvrtcSuccess)
    throw DeviceError(std::string(call) + ": " + nvrtc().nvrtcGetErrorString(status) + " (" +
                      compiler_path() + ")");
}

struct Target {
  std::string option;
  bool machine_code;
};

Target target(int major, int minor) {
  int count = 0;
  check_compiler(nvrtc().nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(count);
  check_compiler(nvrtc().nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  const int wanted = 10 * major + minor;
  int best = 0;
  for (int arch : known)
    if (arch <= wanted && arch > best) best = arch;
  if (best == 0)
    throw DeviceError("the run-time compiler of CUDA " + version_text(compiler_version()) + " (" +
                      compiler_path() + ") does not support compute capability " +
                      std::to_string(major) + "." + std::to_string(minor));
  const bool exact = best == wanted;
  return {"--gpu-architecture=" + std::string(exact ? "sm_" : "compute_") + std::to_string(best),
          exact};
}

// Those of nvcc in kernels/meson.build.
std::vector<std::string> options(const Target& target) {
  std::vector<std::string> list = {target.option, "-std=c++20", "--fmad=false"};
  // Leaves out built-in declarations that kernels/ does not use, a tenth of the time.
  if (compiler_version() >= 13000) list.push_back("--minimal");
  return list;
}

class Program {
 public:
  explicit Program(const std::string& source) {
    std::vector<const char*> names, texts;
    for (const EmbeddedText& header : embedded_headers()) {
      names.push_back(header.name);
      texts.push_back(header.begin);
    }
    check_compiler(
        nvrtc().nvrtcCreateProgram(&program_, source.c_str(), "gpuarray_kernel.cu",
                                   static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    return nvrtc().nvrtcCompileProgram(program_, static_cast<int>(list.size()), list.data());
  }
  std::string log() const {
    return read(nvrtc().nvrtcGetProgramLogSize, nvrtc().nvrtcGetProgramLog, "nvrtcGetProgramLog");
  }
  std::string machine_code() const {
    return read(nvrtc().nvrtcGetCUBINSize, nvrtc().nvrtcGetCUBIN, "nvrtcGetCUBIN");
  }
  std::string ptx() const {
    return read(nvrtc().nvrtcGetPTXSize, nvrtc().nvrtcGetPTX, "nvrtcGetPTX");
  }

 private:
  std::string read(NvrtcResult (*size)(NvrtcProgram, size_t*),
                   NvrtcResult (*get)(NvrtcProgram, char*), const char* call) const {
    size_t bytes = 0;
    check_compiler(size(program_, &bytes), call);
    std::string result(bytes, '\0');
    check_compiler(get(program_, result.data()), call);
    return result;
  }

  NvrtcProgram program_ = nullptr;
};

std::string numbered(const std::string& source) {
  std::istringstream lines(source);
  std::string result, line;
  for (int number = 1; std::getline(lines, line); ++number)
    result += std::to_string(number) + ": " + line + "\n";
  return result;
}

}  // namespace

std::string compile_cubin(const std::string& source, int compute_major, int compute_minor) {
  const Target arch = target(compute_major, compute_minor);
  Program program(source);
  const NvrtcResult status = program.compile(options(arch));
  if (status == kNvrtcCompilationError)
    throw CompileError("the kernel does not compile:\n" + std::string(program.log().c_str()) +
                       "in the source\n" + numbered(source));
  check_compiler(status, "nvrtcCompileProgram");
  return arch.machine_code ? program.machine_code() : program.ptx();
}

std::string compiler_settings(int compute_major, int compute_minor) {
  // Updates of one version differ in nothing else that can be asked for.
  std::string text = "NVRTC " + version_text(compiler_version()) + " of " +
                     std::to_string(compiler_bytes()) + " bytes";
  for (const std::string& option : options(target(compute_major, compute_minor)))
    text += " " + option;
  return text;
}

}  // namespace gpuarray
