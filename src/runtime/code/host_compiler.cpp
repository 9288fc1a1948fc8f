// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/host_compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/thread_safety.hpp"
#include "runtime/cache/dependencies.hpp"
#include "runtime/cache/disk_cache.hpp"
#include "runtime/cache/length_prefixed.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/code/compile_excerpts.hpp"
#include "runtime/code/compile_progress.hpp"
#include "runtime/code/compiled_table.hpp"
#include "runtime/code/embedded.hpp"
#include "runtime/code/include_folders.hpp"
#include "runtime/code/includes.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/user_log.hpp"

extern char** environ;

namespace gpuarray {
namespace {

namespace fs = std::filesystem;

// Makes a temporary folder for the scope.
class Folder {
 public:
  Folder() {
    const std::string named = text_variable("TMPDIR"), parent = named.empty() ? "/tmp" : named;
    std::string name = parent + "/gpuarray-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw DeviceError("no folder for the compiler in " + parent +
                        (named.empty() ? "" : ", which TMPDIR names") + ": " +
                        std::strerror(errno));
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

[[noreturn]] void throw_unwritable(const fs::path& path, const std::string& why) {
  throw DeviceError("cannot write " + path.string() + ": " + why +
                    "; TMPDIR names another folder for temporary files");
}

void write_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw_unwritable(path, error.message());
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.flush()) throw_unwritable(path, std::strerror(errno));
}

// Returns the file that a shell would run for this name; nullopt if there is none.
std::optional<fs::path> find_program(const std::string& name) {
  const auto is_program = [](const fs::path& path) {
    std::error_code ignored;
    return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, ignored);
  };
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::optional<fs::path>(name) : std::nullopt;
  std::istringstream list(text_variable("PATH"));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty() && is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Returns the compiler's command: a file and the first arguments. Throws DeviceError if there is
// none.
std::vector<std::string> compiler() {
  std::vector<std::string> words = words_of(text_variable("CXX"));
  if (words.empty()) {
    for (const char* name : {"c++", "g++", "clang++"})
      if (std::optional<fs::path> found = find_program(name)) return {found->string()};
    throw DeviceError(
        "expressions on cpu need a C++ compiler: none of c++, g++ and clang++ was found; install "
        "one or set CXX");
  }
  std::optional<fs::path> found = find_program(words[0]);
  if (!found)
    throw DeviceError("expressions on cpu need a C++ compiler: " + words[0] +
                      ", which CXX names, was not found");
  words[0] = found->string();
  return words;
}

// The options of the build's own loops (meson.build), so that results equal theirs to the last bit.
// Symbols are hidden, because otherwise the process would share one copy of each inline variable
// among all libraries that define it.
constexpr const char* kOptions[] = {"-std=c++20",
                                    "-O3",
                                    "-ffp-contract=off",
                                    "-fwrapv",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fno-strict-aliasing",
                                    "-fPIC",
                                    "-fvisibility=hidden",
                                    "-shared",
                                    "-w"};

// Returns the digest of the headers of a source; nullopt if they are not all known.
std::optional<std::string> headers_digest(const std::vector<std::string>& command,
                                          const std::string& source) {
  for (const std::string& word : command)  // -include, -isystem and the like, or a file of options
    if (word.starts_with("-i") || word.starts_with("--include") || word.starts_with('@'))
      return std::nullopt;
  IncludePath path;
  for (std::string& folder : option_values(command, {"-I"}, "-I"))
    path.folders.push_back(std::move(folder));
  return included_headers(source, path).digest;
}

// Describes this processor as the system does; code for -march=native depends on it.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(info, line) && !line.empty();)
    for (const char* field : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features",
                              "CPU implementer", "CPU variant", "CPU part", "CPU revision"})
      if (line.starts_with(field)) text += line + '\n';
  return text;
}

std::string identity(const fs::path& file) {
  std::error_code error;
  const fs::path program = fs::canonical(file, error);
  return std::to_string(fs::file_size(program, error)) + " " +
         std::to_string(fs::last_write_time(program, error).time_since_epoch().count());
}

// Describes everything that the result depends on besides the source and the headers.
std::string settings(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    text += word + '\0';
    if (word.ends_with("=native")) text += processor();
    // Both words count in a command such as "ccache g++".
    if (!word.starts_with('-'))
      if (const std::optional<fs::path> program = find_program(word)) text += identity(*program);
  }
  for (const char* option : kOptions) text += std::string(option) + '\0';
  for (const char* variable : {"CPATH", "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX"})
    text += std::string(variable) + '=' + text_variable(variable) + '\0';
  return text;
}

// Runs a command, whose output goes to the file `log`; whether it succeeded. Throws DeviceError if
// it cannot be started.
bool run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // In a group of its own, the compiler does not get the terminal's Ctrl-C, and may not read it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw DeviceError(words[0] + ": " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    // Another part of the process has waited for it; whether it succeeded is seen by its result.
    if (errno != EINTR) return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Throws CompileError with what the compiler said, DeviceError if its disk was full.
[[noreturn]] void throw_failure(const Folder& folder, const std::string& said,
                                const std::string& source) {
  for (const int full : {ENOSPC, EDQUOT, EFBIG})
    if (said.find(std::strerror(full)) != std::string::npos)
      throw_unwritable(folder / "", std::strerror(full));
  // What it said went to a file there, too.
  if (said.empty()) write_file(folder / "log", std::string(4096, '\0'));
  throw_compile_error("gpuarray_kernel.cc", said, source, host_direction(said));
}

struct Built {
  std::string image;
  std::optional<std::string> dependencies;  // of describe_dependencies()
};

Built compile(const std::string& name, std::vector<std::string> command,
              const std::string& source) {
  const CompileProgress told;
  const auto began = std::chrono::steady_clock::now();
  const Folder folder;
  for (const EmbeddedText& header : embedded_headers())
    write_file(folder / header.name,
               {header.begin, static_cast<size_t>(header.end - header.begin)});
  write_file(folder / "gpuarray_kernel.cc", source);
  command.insert(command.end(), std::begin(kOptions), std::end(kOptions));
  const fs::path library = folder / "kernel.so", log = folder / "log", rule = folder / "rule";
  const std::string text = folder / "gpuarray_kernel.cc", own = folder / "";
  std::error_code ignored;
  command.insert(command.end(), {"-I" + own, "-MD", "-MT", "x", "-MF", rule.string(), text, "-o",
                                 library.string()});
  if (!run(command, log) || !fs::exists(library, ignored))
    throw_failure(folder, read_file(log), source);
  log_compilation(name, "cpu", std::chrono::steady_clock::now() - began);
  return {read_file(library), describe_dependencies(read_file(rule), own, text)};
}

// Loads a library, which stays loaded, and returns its function; null if this machine cannot load
// it.
void* load(const std::string& image, const std::string& symbol) {
  const Folder folder;
  write_file(folder / "kernel.so", image);
  void* library = dlopen((folder / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, symbol.c_str());
}

void* make_function(const std::string& image, const std::string& symbol) {
  void* function = load(image, symbol);
  if (function != nullptr) return function;
  const char* why = dlerror();
  throw DeviceError(std::string("what the C++ compiler made cannot be loaded: ") +
                    (why == nullptr ? "no " + symbol : why));
}

struct LoadedFunction {
  void* function = nullptr;
  std::string dependencies;  // of describe_dependencies()
};

// Loads the function from the disk cache; whether it was there, and its headers have not changed.
bool load_stored(const std::string& key, const std::string& symbol, LoadedFunction& loaded) {
  const std::optional<std::string> stored = disk_cache_load(key);
  const auto parts = stored ? split_length_prefixed(*stored) : std::nullopt;
  if (!parts || parts->size() != 2 || !dependencies_hold((*parts)[0])) return false;
  void* function = load((*parts)[1], symbol);
  if (function == nullptr) return false;
  loaded = {function, (*parts)[0]};
  return true;
}

// Never destroyed, because threads may use it until the process ends.
auto& functions = *new CompiledTable<std::string, LoadedFunction>;

[[maybe_unused]] const int at_fork =
    pthread_atfork([]() NO_THREAD_SAFETY_ANALYSIS { functions.lock(); },
                   []() NO_THREAD_SAFETY_ANALYSIS { functions.unlock(); },
                   []() NO_THREAD_SAFETY_ANALYSIS { functions.forget_locked(); });

void* host_function(const std::string& name, const std::string& source, const std::string& symbol,
                    const std::vector<std::string>& options) {
  std::vector<std::string> command = compiler();
  command.insert(command.end(), options.begin(), options.end());
  const std::optional<std::string> headers = headers_digest(command, source);
  if (!headers) return make_function(compile(name, command, source).image, symbol);
  const std::string key =
      digest({"host 2", settings(command), embedded_digest(), *headers, source});
  auto& [mutex, loaded] = functions.entry(key);
  const LockGuard lock(mutex);
  if (loaded.function != nullptr && dependencies_hold(loaded.dependencies)) return loaded.function;
  if (load_stored(key, symbol, loaded)) return loaded.function;
  const Built built = compile(name, command, source);
  void* function = make_function(built.image, symbol);
  // The result is stored only if no header has changed meanwhile.
  if (!built.dependencies || headers_digest(command, source) != headers) return function;
  disk_cache_store(key, join_length_prefixed({*built.dependencies, built.image}));
  loaded = {function, *built.dependencies};
  return function;
}

}  // namespace

void* compile_host_function(const std::string& name, const std::string& source,
                            const std::string& symbol, const std::vector<std::string>& options) {
  void* function = nullptr;
  blocking([&] { function = host_function(name, source, symbol, options); });
  return function;
}

}  // namespace gpuarray
