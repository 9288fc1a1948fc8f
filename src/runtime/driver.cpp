// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestVersion = 12000;

struct Found {
  Driver table;
  bool usable = false;
  std::string reason;
  pid_t process = 0;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// `out` is a function pointer's address; the driver's versioned lookup gives the newest form up
// to 12.0.
using GetProcAddress = int (*)(const char*, void**, int, uint64_t, int*);

std::string load_functions(Driver& table, GetProcAddress lookup) {
#define GPUARRAY_DRIVER(name, arguments)                                                       \
  if (lookup(#name, reinterpret_cast<void**>(&table.name), kOldestVersion, 0, nullptr) != 0 || \
      table.name == nullptr)                                                                   \
    return "the driver has no " #name;
#include "runtime/driver.def"
  return "";
}

std::string error_text(const Driver& table, int status) {
  const char* name = nullptr;
  const char* text = nullptr;
  table.cuGetErrorName(status, &name);
  table.cuGetErrorString(status, &text);
  return std::string(name != nullptr ? name : "unknown status") + ": " +
         (text != nullptr ? text : std::to_string(status));
}

// Empty when the driver is usable, else why not.
std::string open_driver(Driver& table) {
  const char* other = std::getenv("GPUARRAY_LIBCUDA");
  const char* file = other != nullptr ? other : "libcuda.so.1";
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string(file) + " was not found: no NVIDIA driver";
  auto version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  if (version == nullptr || version(&table.version) != kCudaSuccess)
    return std::string(file) + " is no CUDA driver";
  if (table.version < kOldestVersion)
    return "the driver supports CUDA " + version_text(table.version) + ", " +
           version_text(kOldestVersion) + " or newer is needed";
  auto lookup = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (lookup == nullptr) return "the driver has no cuGetProcAddress_v2";
  std::string missing = load_functions(table, lookup);
  if (!missing.empty()) return missing;
  int status = table.cuInit(0);
  if (status != kCudaSuccess) return "cuInit: " + error_text(table, status);
  int count = 0;
  status = table.cuDeviceGetCount(&count);
  if (status != kCudaSuccess) return "cuDeviceGetCount: " + error_text(table, status);
  return count == 0 ? "the driver found no device" : "";
}

// Never destroyed: buffers may be freed while the process ends.
const Found& found() {
  static const Found& result = [&]() -> const Found& {
    auto* made = new Found;
    made->process = getpid();
    made->reason = open_driver(made->table);
    made->usable = made->reason.empty();
    return *made;
  }();
  return result;
}

}  // namespace

const Driver* find_driver() { return found().usable ? &found().table : nullptr; }

const std::string& driver_absent_reason() { return found().reason; }

const Driver& driver() {
  const Found& result = found();
  if (!result.usable) throw DeviceError("no CUDA device: " + result.reason);
  if (result.process != getpid())
    throw DeviceError(
        "CUDA was initialised before this process was forked; start processes with 'spawn'");
  return result.table;
}

void check_driver(int status, const char* call, const char* file, int line) {
  if (status == kCudaSuccess) return;
  const char* slash = std::strrchr(file, '/');
  std::string name(call, std::strcspn(call, "("));
  throw CudaError(name + ": " + error_text(found().table, status) + " (" +
                      (slash != nullptr ? slash + 1 : file) + ":" + std::to_string(line) + ")",
                  status);
}

}  // namespace gpuarray
