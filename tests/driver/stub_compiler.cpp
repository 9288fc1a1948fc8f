// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Stands in for libnvrtc (GPUARRAY_LIBNVRTC): compiles kernels by the host compiler, $CXX or c++,
// into images that the test driver loads. A kernel that kernels/aot holds is not compiled; the
// image names it instead.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "built_names.hpp"
#include "scanner.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnKernel = "gpuarray_kernel.cu";
constexpr char kPtx[] = "// PTX";
// Includes kernel_shim.hpp. GCC takes a precompiled one beside it if there is one for the options.
constexpr const char* kShim = GPUARRAY_TEST_DRIVER_SHIM;
constexpr const char* kNoGlobal = "-D__global__=";
constexpr int kCompilationError = 6, kInvalidInput = 3;

struct Program {
  std::string source, name, image, log;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> options, expressions;
  std::deque<std::string> symbols;  // a deque, so that their addresses stay valid
};

// A temporary folder, which is removed with the object.
struct Folder {
  fs::path path;
  Folder() {
    std::string made = (fs::temp_directory_path() / "gpuarray-kernel-XXXXXX").string();
    if (mkdtemp(made.data()) != nullptr) path = made;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Runs a command and returns its exit status; its output goes to `log`.
int run(const std::vector<std::string>& words, const fs::path& folder, std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const fs::path output = folder / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int status = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    log = words[0] + ": " + std::strerror(status);
    return status;
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  log = read(output);
  return status;
}

// Returns whether the option means the same to a host compiler.
bool is_common(const std::string& option) {
  return option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-I");
}

// Returns the compiler's command, with exported symbols hidden or not.
std::vector<std::string> compiler(bool hidden) {
  const char* named = std::getenv("CXX");
  std::istringstream text(named == nullptr || *named == 0 ? "c++" : named);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  // Arithmetic is that of a GPU without contraction; kernels read memory as other types.
  for (const char* word : {"-std=c++20", "-O1", "-w", "-fPIC", "-fno-gnu-unique",
                           "-fno-strict-aliasing", "-ffp-contract=off", "-x", "c++"})
    words.push_back(word);
  words.push_back(hidden ? "-fvisibility=hidden" : "-fvisibility=default");
  return words;
}

std::vector<std::string> compiler(const Program& program, const fs::path& folder) {
  // A user's __device__ and __constant__ variables are looked up by name.
  std::vector<std::string> words = compiler(program.name == kOwnKernel || program.options.empty());
  words.push_back("-I" + folder.string());
  std::ranges::copy_if(program.options, std::back_inserter(words), is_common);
  return words;
}

// Returns the descriptions of the kernels in a text without macros. It does not use regular
// expressions, because those of libstdc++ overflow the stack on texts of this length.
std::string descriptions(const std::string& text) {
  constexpr std::string_view kSpace = " \t\n\r", kBounds = "__launch_bounds__";
  std::string result;
  Scanner at{text};
  for (std::string_view before; at.skip_past("__global__", &before);) {
    const size_t begin = before.find_last_of(";}") + 1;
    if (before.find("template", begin) != before.npos) continue;  // described by instances()
    at.skip_any_of(kSpace);
    if (at.word() != "void") continue;
    at.skip_any_of(kSpace);
    std::string_view name = at.word();
    if (name == kBounds) {
      if (!at.skip_past(")")) break;
      at.skip_any_of(kSpace);
      name = at.word();
    }
    at.skip_any_of(kSpace);
    if (!name.empty() && at.skip("("))
      result += "GPUARRAY_HOST_KERNEL(" + std::string(name) + ")\n";
  }
  return result;
}

std::string symbol(size_t expression) { return "expression_" + std::to_string(expression); }

// Returns the descriptions of the kernels that name expressions name.
std::string instances(const Program& program) {
  std::string result;
  for (size_t i = 0; i < program.expressions.size(); ++i) {
    const std::string& text = program.expressions[i];
    const std::string address = text.starts_with('&') ? text : '&' + text;
    const std::string type = "const test_driver::HostKernel ", name = symbol(i) + "__host";
    result += "extern \"C\" __attribute__((visibility(\"default\"))) " + type + name + ";\n" +
              type + name + " = test_driver::describe<(" + address + ")>(" + address + ");\n";
  }
  return result;
}

// Replaces each `extern __shared__ float x[];` by the macro of kernel_shim.hpp.
std::string with_dynamic_shared(const std::string& source) {
  constexpr std::string_view kDeclared = "extern __shared__", kAligned = "__align__";
  std::string result;
  Scanner at{source};
  for (std::string_view before; at.skip_past(kDeclared, &before);) {
    std::string_view declared;
    at.skip_any_of(" ");
    if (at.left.starts_with(kAligned)) at.skip_past(")");
    if (!at.skip_past("[]", &declared)) break;
    const size_t name = declared.find_last_of(" *&") + 1;
    result.append(before).append("GPUARRAY_DYNAMIC_SHARED(");
    result.append(declared.substr(0, name)).append(", ").append(declared.substr(name)).append(")");
  }
  return result.append(at.left);
}

bool compile(Program& program) {
  const Folder folder;
  for (const auto& [name, text] : program.headers)
    if (name.starts_with("kernels/")) write(folder.path / name, text);  // the host has all others
  const fs::path shim = kShim;
  const fs::path source = folder.path / fs::path(program.name).filename(),
                 whole = folder.path / "whole.cc", image = folder.path / "image.so";
  // Headers next to the source are found there.
  if (fs::path(program.name).is_absolute())
    program.options.push_back("-I" + fs::path(program.name).parent_path().string());
  write(source, with_dynamic_shared(program.source));
  std::string text = program.source;
  if (text.find("##") != std::string::npos ||
      descriptions(text).empty()) {  // macros make the kernels
    std::vector<std::string> words = compiler(program, folder.path);
    words.insert(words.end(), {"-E", "-P", "-include", shim, source, "-o", whole});
    if (run(words, folder.path, program.log) != 0) return false;
    text = read(whole);
  }
  write(whole, "#include \"" + source.string() + "\"\n" + descriptions(text) + instances(program));
  std::vector<std::string> words = compiler(program, folder.path);
  // A kernel may have the name of a function of the C library.
  words.insert(words.end(),
               {kNoGlobal, "-shared", "-Wl,-Bsymbolic", "-include", shim, whole, "-o", image});
  if (run(words, folder.path, program.log) != 0) return false;
  program.image = read(image);
  return true;
}

Program& of(void* handle) { return *static_cast<Program*>(handle); }

}  // namespace

extern "C" {

// Precompiles the header of all kernels, which takes more than half of the time of most of them.
int precompile_shim() {
  const Folder folder;
  const fs::path made = std::string(kShim) + ".gch";
  fs::create_directories(made);
  for (bool hidden : {false, true}) {
    std::vector<std::string> words = compiler(hidden);
    const fs::path target = made / (hidden ? "hidden" : "visible");
    words.insert(words.end(), {kNoGlobal, "-c", "-x", "c++-header", kShim, "-o", target});
    std::string log;
    if (int status = run(words, folder.path, log)) return status;
  }
  return 0;
}

int nvrtcVersion(int* major, int* minor) {
  const char* other = std::getenv("GPUARRAY_TEST_COMPILER_MAJOR");
  *major = other == nullptr ? 13 : std::atoi(other);
  *minor = 0;
  return 0;
}

int nvrtcCreateProgram(void** handle, const char* source, const char* name, int count,
                       const char* const* texts, const char* const* names) {
  auto* program = new Program{source, name, "", "", {}, {}, {}, {}};
  for (int i = 0; i < count; ++i) program->headers.emplace_back(names[i], texts[i]);
  *handle = program;
  return 0;
}

int nvrtcDestroyProgram(void** handle) {
  delete static_cast<Program*>(*handle);
  *handle = nullptr;
  return 0;
}

int nvrtcAddNameExpression(void* handle, const char* expression) {
  of(handle).expressions.push_back(expression);
  return 0;
}

int nvrtcGetLoweredName(void* handle, const char* expression, const char** name) {
  const std::vector<std::string>& all = of(handle).expressions;
  const auto found = std::ranges::find(all, expression);
  if (found == all.end()) return kInvalidInput;
  *name = of(handle).symbols.emplace_back(symbol(found - all.begin())).c_str();
  return 0;
}

int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program& program = of(handle);
  program.options.assign(options, options + count);
  if (const char* seconds = std::getenv("GPUARRAY_TEST_COMPILER_SECONDS"))
    std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(seconds)));
  if (const std::string built = built_name(program.source);
      !built.empty() && std::getenv("GPUARRAY_TEST_DRIVER_KERNELS") != nullptr) {
    program.image = "gpuarray test driver: gpuarray_" + built + '\0';
    return 0;
  }
  return compile(program) ? 0 : kCompilationError;
}

int nvrtcGetCUBINSize(void* handle, size_t* bytes) {
  *bytes = of(handle).image.size();
  return 0;
}
int nvrtcGetCUBIN(void* handle, char* bytes) {
  of(handle).image.copy(bytes, of(handle).image.size());
  return 0;
}
// The PTX is a comment.
int nvrtcGetPTXSize(void*, size_t* bytes) {
  *bytes = sizeof kPtx;
  return 0;
}
int nvrtcGetPTX(void*, char* text) {
  std::memcpy(text, kPtx, sizeof kPtx);
  return 0;
}
// Stand-ins for libraries that take LTO-IR open the image and call its functions.
int nvrtcGetLTOIRSize(void* handle, size_t* bytes) { return nvrtcGetCUBINSize(handle, bytes); }
int nvrtcGetLTOIR(void* handle, char* bytes) { return nvrtcGetCUBIN(handle, bytes); }
int nvrtcGetProgramLogSize(void* handle, size_t* bytes) {
  *bytes = of(handle).log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(void* handle, char* text) {
  std::strcpy(text, of(handle).log.c_str());
  return 0;
}
const char* nvrtcGetErrorString(int status) {
  return status == 0 ? "NVRTC_SUCCESS" : "error of the stand-in for NVRTC";
}
// No header is precompiled: options that ask for it do nothing.
int nvrtcSetPCHHeapSize(size_t) { return 0; }
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
int nvrtcGetSupportedArchs(int* archs) {
  *archs = 90;
  return 0;
}
}
