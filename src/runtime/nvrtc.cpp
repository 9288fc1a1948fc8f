// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/nvrtc.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestCompiler = 12000;

struct Found {
  Nvrtc table = {};
  int version = 0;
  std::string path;
  std::string reason;
};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Never destroyed: read until the process ends. Guarded by the mutex.
struct Folders {
  std::mutex mutex;
  std::vector<std::string> wheels;
};
Folders& folders() {
  static Folders& all = *new Folders;
  return all;
}

// Where NVRTC may be, the first that loads is taken.
std::vector<std::string> candidates() {
  if (std::string named = setting("GPUARRAY_LIBNVRTC"); !named.empty()) return {named};
  std::vector<std::string> files;
  {
    std::lock_guard lock(folders().mutex);
    for (const std::string& folder : folders().wheels) {
      files.push_back(folder + "/nvidia/cu13/lib/libnvrtc.so.13");
      files.push_back(folder + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    }
  }
  auto add = [&](const std::string& folder) {
    files.push_back(folder + "libnvrtc.so.13");
    files.push_back(folder + "libnvrtc.so.12");
  };
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = setting(name); !root.empty()) add(root + "/lib64/");
  add("");
  add("/usr/local/cuda/lib64/");
  return files;
}

// "" or why not.
std::string fill_table(void* library, Found& found) {
#define GPUARRAY_NVRTC_FIND(name, result, ...)                                         \
  found.table.name = reinterpret_cast<result (*)(__VA_ARGS__)>(dlsym(library, #name)); \
  if (found.table.name == nullptr) return "it has no " #name;
  GPUARRAY_NVRTC_FUNCTIONS(GPUARRAY_NVRTC_FIND)
#undef GPUARRAY_NVRTC_FIND
  int major = 0, minor = 0;
  if (found.table.nvrtcVersion(&major, &minor) != kNvrtcSuccess) return "it tells no version";
  found.version = 1000 * major + 10 * minor;
  if (found.version < kOldestCompiler) return "it is older than CUDA 12.0";
  return "";
}

std::string load(Found& found) {
  std::string problem;
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* text = dlerror();
      std::string error = text == nullptr ? "" : text;
      if (error.find("No such file") == std::string::npos) problem = error;
      continue;
    }
    std::string unfit = fill_table(library, found);
    if (unfit.empty()) {
      Dl_info info;
      bool known = dladdr(reinterpret_cast<void*>(found.table.nvrtcVersion), &info) != 0;
      found.path = known ? info.dli_fname : file;
      return "";
    }
    problem = file + ": " + unfit;
    found.version = 0;
    dlclose(library);
  }
  if (!problem.empty()) return "NVRTC could not be loaded: " + problem;
  std::string named = setting("GPUARRAY_LIBNVRTC");
  return (named.empty() ? "NVRTC (libnvrtc.so.13 or libnvrtc.so.12)" : named) + " was not found";
}

const Found& found() {
  // Never destroyed: kernels are compiled until the process ends.
  static const Found& state = *[] {
    auto* loaded = new Found;
    loaded->reason = load(*loaded);
    return loaded;
  }();
  return state;
}

}  // namespace

void add_wheel_folder(std::string folder) {
  std::lock_guard lock(folders().mutex);
  folders().wheels.push_back(std::move(folder));
}

bool compiler_available() { return found().reason.empty(); }
const std::string& compiler_absent_reason() { return found().reason; }
const std::string& compiler_path() { return found().path; }
int compiler_version() { return found().version; }

int64_t compiler_bytes() {
  struct stat status;
  return stat(compiler_path().c_str(), &status) == 0 ? int64_t{status.st_size} : 0;
}

const Nvrtc& nvrtc() {
  if (!compiler_available())
    throw DeviceError("no run-time compiler: " + compiler_absent_reason() +
                      "; pip install nvidia-cuda-nvrtc");
  return found().table;
}

}  // namespace gpuarray
