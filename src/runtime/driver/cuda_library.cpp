// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cuda_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <mutex>
#include <utility>

namespace gpuarray {
namespace {

// Never destroyed: read until the process ends. Guarded by the mutex.
struct Folders {
  std::mutex mutex;
  std::vector<std::string> wheels;
};
Folders& folders() {
  static Folders& all = *new Folders;
  return all;
}

// Where it may be, the first that loads is taken.
std::vector<std::string> candidates(const CudaLibrary& wanted) {
  if (std::string named = setting(wanted.variable); !named.empty()) return {named};
  const std::string newer = std::string(wanted.stem) + ".so.13";
  const std::string older = std::string(wanted.stem) + ".so.12";
  std::vector<std::string> files;
  for (const std::string& folder : wheel_folders()) {
    files.push_back(folder + "/nvidia/cu13/lib/" + newer);
    files.push_back(folder + "/nvidia/" + wanted.folder_of_12 + "/lib/" + older);
  }
  auto add = [&](const std::string& folder) {
    files.push_back(folder + newer);
    files.push_back(folder + older);
  };
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = setting(name); !root.empty()) add(root + "/lib64/");
  add("");
  add("/usr/local/cuda/lib64/");
  return files;
}

}  // namespace

std::string load_cuda_library(const CudaLibrary& wanted,
                              const std::function<std::string(void* library)>& fill) {
  std::string problem;
  for (const std::string& file : candidates(wanted)) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* text = dlerror();
      std::string error = text == nullptr ? "" : text;
      if (error.find("No such file") == std::string::npos) problem = error;
      continue;
    }
    std::string unfit = fill(library);
    if (unfit.empty()) return "";
    problem = file + ": " + unfit;
    dlclose(library);
  }
  const std::string title = wanted.title;
  if (!problem.empty()) return title + " could not be loaded: " + problem;
  const std::string named = setting(wanted.variable), stem = wanted.stem;
  return (named.empty() ? title + " (" + stem + ".so.13 or " + stem + ".so.12)" : named) +
         " was not found";
}

std::string library_file(const void* address) {
  Dl_info info;
  return dladdr(address, &info) != 0 ? info.dli_fname : "";
}

int64_t file_bytes(const std::string& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 ? int64_t{status.st_size} : 0;
}

void add_wheel_folder(std::string folder) {
  std::lock_guard lock(folders().mutex);
  folders().wheels.push_back(std::move(folder));
}

std::vector<std::string> wheel_folders() {
  std::lock_guard lock(folders().mutex);
  return folders().wheels;
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void* library_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace gpuarray
