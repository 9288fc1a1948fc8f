// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cuda_library.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <string_view>
#include <utility>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"

namespace gpuarray {
namespace {

std::atomic<int> loaded_driver = 0;

// The folders in which wheels are installed. Never destroyed, because they may be read until the
// process ends.
struct Folders {
  HeldAtFork mutex;
  std::vector<std::string> wheels GUARDED_BY(mutex);
};
Folders& folders = *new Folders;

// Returns the libraries by declaration; they are added while the module is loaded and only read
// afterwards.
std::vector<CudaLibrary*>& all_libraries() {
  static std::vector<CudaLibrary*>& all = *new std::vector<CudaLibrary*>;
  return all;
}

std::string file_of(const CudaLibraryNames& names, int major) {
  return std::string(names.stem) + ".so." + std::to_string(major);
}

}  // namespace

std::string to_string(const LibraryVersion& version) {
  if (version.major == 0) return "";
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

void* FunctionFinder::find_optional(const char* name) const { return dlsym(library_, name); }

void* FunctionFinder::find(const char* name) {
  void* function = find_optional(name);
  if (function == nullptr && missing_.empty()) missing_ = name;
  if (function != nullptr && path_.empty()) path_ = library_file(function);
  return function;
}

CudaLibrary::CudaLibrary(const CudaLibraryNames& names) : names_(names) {
  all_libraries().push_back(this);
}

std::string CudaLibrary::variable() const {
  std::string name = std::string("GPUARRAY_") + names_.stem;
  for (char& letter : name)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

std::vector<std::string> CudaLibrary::candidates() const {
  if (std::string named = text_variable(variable().c_str()); !named.empty()) return {named};
  const std::string newer = file_of(names_, names_.major_of_13);
  const std::string older = file_of(names_, names_.major_of_12);
  std::vector<std::string> files;
  for (const std::string& folder : wheel_folders()) {
    files.push_back(folder + "/nvidia/cu13/lib/" + newer);
    files.push_back(folder + "/nvidia/" + names_.folder_of_12 + "/lib/" + older);
  }
  auto add = [&](const std::string& folder) {
    files.push_back(folder + newer);
    if (older != newer) files.push_back(folder + older);
  };
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (std::string root = text_variable(name); !root.empty()) add(root + "/lib64/");
  add("");
  add("/usr/local/cuda/lib64/");
  return files;
}

std::string CudaLibrary::take(void* library, Found& found) {
  FunctionFinder find(library);
  find_functions(find);
  if (!find.missing().empty()) return "it has no " + find.missing();
  LibraryVersion version;
  if (std::string unfit = ask_version(find, version); !unfit.empty()) return unfit;
  found.version = version;
  found.path = find.path();
  return "";
}

CudaLibrary::Found CudaLibrary::search() {
  Found found;
  std::string problem;
  for (const std::string& file : candidates()) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* text = dlerror();
      std::string error = text == nullptr ? "" : text;
      // An error that names another file is about a library that the found one needs.
      const bool absent = error.starts_with(file + ":") && error.find("No such file") != error.npos;
      if (!absent) problem = error;
      continue;
    }
    const std::string unfit = take(library, found);
    if (unfit.empty()) return found;
    problem = file + ": " + unfit;
    dlclose(library);
  }
  const std::string named = text_variable(variable().c_str());
  if (!problem.empty())
    found.reason = std::string(names_.title) + " could not be loaded: " + problem;
  else if (!named.empty())
    found.reason = named + " was not found";
  else
    found.reason = std::string(names_.title) + " (" + file_of(names_, names_.major_of_13) + " or " +
                   file_of(names_, names_.major_of_12) +
                   ") was not found in NVIDIA's wheels, CUDA_HOME, CUDA_PATH, on the loader's "
                   "path or in /usr/local/cuda";
  return found;
}

void CudaLibrary::throw_absent() {
  throw DeviceError(std::string("no ") + names_.role + ": " + absent_reason() + "; " +
                    install_command());
}

const char* install_command() {
  return loaded_driver / 1000 == 12 ? "pip install 'gpuarray-cuda[cuda12]'"
                                    : "pip install 'gpuarray-cuda[cuda13]'";
}

void note_driver_version(int version) { loaded_driver = version; }

std::vector<CudaLibrary*> cuda_libraries() {
  std::vector<CudaLibrary*> sorted = all_libraries();
  std::ranges::sort(sorted, {},
                    [](CudaLibrary* library) { return std::string_view(library->names().title); });
  return sorted;
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
  const LockGuard lock(folders.mutex);
  folders.wheels.push_back(std::move(folder));
}

std::vector<std::string> wheel_folders() {
  const LockGuard lock(folders.mutex);
  return folders.wheels;
}

}  // namespace gpuarray
