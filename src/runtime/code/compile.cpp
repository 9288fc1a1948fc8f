// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/compile.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "core/made_first.hpp"
#include "core/sha256.hpp"
#include "runtime/cache/length_prefixed.hpp"
#include "runtime/code/compile_excerpts.hpp"
#include "runtime/code/compile_progress.hpp"
#include "runtime/code/precompiled_header.hpp"
#include "runtime/code/standard_headers.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"
#include "runtime/driver/user_log.hpp"

namespace gpuarray {
namespace {

void check_compiler(NvrtcResult status, const std::string& call) {
  if (status != kNvrtcSuccess)
    throw DeviceError(call + ": " + nvrtc().nvrtcGetErrorString(status) + " (" +
                      nvrtc_library.path() + ")");
}

// Returns the newest architecture that the compiler knows and a device of architecture `wanted`
// runs; 0 if there is none.
int newest_known(int wanted) {
  int best = 0;
  for (int arch : known_architectures())
    if (arch <= wanted && arch > best) best = arch;
  return best;
}

// Returns the architecture to compile for: "sm_90" itself if the compiler knows it, or else the
// newest PTX that such a device runs. A text that is not a number, or more than that ("sm_90a"), is
// left to the compiler.
std::string known_architecture(const std::string& asked) {
  if (!asked.starts_with("sm_") || !std::all_of(asked.begin() + 3, asked.end(), ::isdigit))
    return asked;
  const int wanted = std::atoi(asked.c_str() + 3), best = newest_known(wanted);
  if (best == 0)
    throw DeviceError("the run-time compiler of CUDA " +
                      version_text(nvrtc_library.version().cuda_number()) + " (" +
                      nvrtc_library.path() + ") does not support compute capability " +
                      std::to_string(wanted / 10) + "." + std::to_string(wanted % 10));
  return (best == wanted ? "sm_" : "compute_") + std::to_string(best);
}

class Program {
 public:
  explicit Program(const CompileRequest& request) {
    std::vector<const char*> names, texts;
    for (std::span<const EmbeddedText> headers : {embedded_headers(), std::span(request.headers)})
      for (const EmbeddedText& header : headers) {
        names.push_back(header.name);
        texts.push_back(header.begin);
      }
    check_compiler(
        nvrtc().nvrtcCreateProgram(&program_, request.source.c_str(), request.name.c_str(),
                                   static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  }
  ~Program() { nvrtc().nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add_name_expression(const std::string& expression) {
    check_compiler(nvrtc().nvrtcAddNameExpression(program_, expression.c_str()),
                   "nvrtcAddNameExpression");
  }
  NvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    return nvrtc().nvrtcCompileProgram(program_, static_cast<int>(list.size()), list.data());
  }
  std::string log() const {
    return text(
        read(nvrtc().nvrtcGetProgramLogSize, nvrtc().nvrtcGetProgramLog, "nvrtcGetProgramLog"));
  }
  std::string code(CodeForm form) const {
    if (form == CodeForm::kCubin)
      return read(nvrtc().nvrtcGetCUBINSize, nvrtc().nvrtcGetCUBIN, "nvrtcGetCUBIN");
    if (form == CodeForm::kLtoIr)
      return read(nvrtc().nvrtcGetLTOIRSize, nvrtc().nvrtcGetLTOIR, "nvrtcGetLTOIR");
    return text(read(nvrtc().nvrtcGetPTXSize, nvrtc().nvrtcGetPTX, "nvrtcGetPTX"));
  }
  std::string lowered_name(const std::string& expression) const {
    const char* name = nullptr;
    check_compiler(nvrtc().nvrtcGetLoweredName(program_, expression.c_str(), &name),
                   "nvrtcGetLoweredName");
    return name;
  }

 private:
  std::string read(NvrtcResult (*size)(NvrtcProgram, size_t*),
                   NvrtcResult (*get)(NvrtcProgram, char*), const std::string& call) const {
    size_t bytes = 0;
    check_compiler(size(program_, &bytes), call + "Size");
    std::string result(bytes, '\0');
    check_compiler(get(program_, result.data()), call);
    return result;
  }
  // Drops the zero byte at the end.
  static std::string text(const std::string& read) { return read.c_str(); }

  NvrtcProgram program_ = nullptr;
};

// Returns the last architecture that the options name, "" if they name none.
std::string architecture_of(const std::vector<std::string>& options) {
  std::string architecture;
  for (size_t i = 0; i < options.size(); ++i)
    for (const char* name : {"-arch", "--gpu-architecture"}) {
      if (options[i].starts_with(std::string(name) + '='))
        architecture = options[i].substr(options[i].find('=') + 1);
      else if (options[i] == name && i + 1 < options.size())
        architecture = options[i + 1];
    }
  return architecture;
}

// Returns the compiler's own words in a line of its log: the message of an error or a warning,
// without the user's words, which are in quotes or those of an #error.
std::string own_words(const std::string& line) {
  // A message without a place begins with a capital letter.
  std::string text = ": " + line;
  text[2] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[2])));
  size_t begin = text.npos;
  for (const char* severity : {": error", ": catastrophic error", ": warning"})
    begin = std::min(begin, text.find(severity));
  begin = begin == text.npos ? begin : text.find(": ", begin + 2);  // after the message's number
  if (begin == text.npos || text.compare(begin, 3, ": #") == 0) return "";
  std::string words;
  bool is_quoted = false;
  for (const char letter : text.substr(begin)) {
    is_quoted = is_quoted != (letter == '"');
    if (!is_quoted) words += letter;
  }
  return words;
}

// Returns whether NVRTC complains about a precompiled header.
bool blames_header(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string words = own_words(line);
    if (words.find("precompiled header") != words.npos || words.find("PCH") != words.npos)
      return true;
  }
  return false;
}

NvrtcResult run(Program& program, const CompileRequest& request,
                const std::vector<std::string>& more) {
  std::vector<std::string> options = compile_options(request);
  options.insert(options.end(), more.begin(), more.end());
  for (const std::string& expression : request.name_expressions)
    program.add_name_expression(expression);
  const CompileProgress told;
  return program.compile(options);
}

// Compiles to `program` by the precompiled header, or makes it too. Returns the status; nullopt if
// the request has to be compiled without.
std::optional<NvrtcResult> run(std::optional<Program>& program, const CompileRequest& request,
                               PrecompiledHeader& header) {
  if (!header.takes_part()) return std::nullopt;
  CompileRequest marked = request;
  marked.source = header.source();
  program.emplace(marked);
  const NvrtcResult status = run(*program, marked, header.options());
  if (status == kNvrtcInvalidOption || blames_header(program->log())) {
    header.refused();
    return std::nullopt;
  }
  header.ended(status != kNvrtcSuccess);
  return status;
}

}  // namespace

std::vector<std::string> compile_options(const CompileRequest& request) {
  std::vector<std::string> list = request.options;
  if (architecture_of(list).empty())
    list.insert(list.begin(), "--gpu-architecture=" + known_architecture(request.architecture));
  if (request.form == CodeForm::kLtoIr) list.push_back("-dlto");
  // NVRTC would load the driver and keep the results in the driver's cache, beside our own.
  if (nvrtc_library.version().cuda_number() >= 12090) list.push_back("--no-cache");
  return list;
}

std::vector<int> known_architectures() {
  int count = 0;
  check_compiler(nvrtc().nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(count);
  check_compiler(nvrtc().nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  return known;
}

void throw_compile_error(const std::string& name, const std::string& log, const std::string& source,
                         std::string advice) {
  const CompileExcerpts excerpts(source, name, log);
  if (!advice.empty()) advice += '\n';
  throw CompileError(excerpts.title() + " does not compile:\n" + excerpts.lines() + log + advice);
}

CompileResult compile(const CompileRequest& request) {
  PrecompiledHeader header(request.source,
                           request.headers_key.empty()
                               ? ""
                               : digest({request.headers_key, request.name,
                                         join_length_prefixed(compile_options(request))}));
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Program> program;
  const std::optional<NvrtcResult> by_header = run(program, request, header);
  const NvrtcResult status =
      by_header ? *by_header : run(program.emplace(request), request, std::vector<std::string>{});
  if (status == kNvrtcInvalidOption) throw ValueError("options: " + program->log());
  if (status == kNvrtcCompilationError)
    throw_compile_error(request.name, program->log(), request.source, direction(program->log()));
  check_compiler(status, "nvrtcCompileProgram");
  const bool virtual_only = architecture_of(compile_options(request)).starts_with("compute_");
  const CodeForm form =
      request.form == CodeForm::kCubin && virtual_only ? CodeForm::kPtx : request.form;
  CompileResult result{program->code(form), program->log(), {}};
  for (const std::string& expression : request.name_expressions)
    result.lowered_names.push_back(program->lowered_name(expression));
  const auto time = std::chrono::steady_clock::now() - begin;
  header.compiled(std::chrono::duration<double>(time).count());
  log_compilation(request.name, request.architecture, time);
  return result;
}

std::string compiler_identity() {
  // Updates of one version can be told apart by the size of the library only.
  return "NVRTC " + version_text(nvrtc_library.version().cuda_number()) + " of " +
         std::to_string(file_bytes(nvrtc_library.path())) + " bytes";
}

const std::string& embedded_digest() {
  static constinit MadeFirst<std::string> made;
  return made.get([] {
    std::string all = embedded_headers_digest();
    for (const EmbeddedText& header : standard_headers())
      all.append(header.name).append(1, '\0').append(header.begin, header.end);
    return digest({all});
  });
}

CompileRequest kernel_request(std::string source, int compute_major, int compute_minor) {
  CompileRequest request;
  request.source = std::move(source);
  request.architecture = "sm_" + std::to_string(10 * compute_major + compute_minor);
  // the options of nvcc in kernels/meson.build
  request.options = {"-std=c++20", "--fmad=false"};
  // Some versions take a generic lambda in a kernel for a function of the host.
  request.options.push_back("-default-device");
  // --minimal leaves out built-in declarations that kernels/ does not use, which saves a tenth of
  // the time.
  if (nvrtc_library.version().cuda_number() >= 13000) request.options.push_back("--minimal");
  return request;
}

std::string compile_cubin(const std::string& source, int compute_major, int compute_minor) {
  return compile(kernel_request(source, compute_major, compute_minor)).code;
}

}  // namespace gpuarray
