// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/driver.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/device_code.hpp"
#include "runtime/driver/driver_error.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestDriver = 12000;  // CUDA 12.0, the first with cuLibraryLoadData

using GetVersion = CUresult (*)(int*);
using GetProcAddress = CUresult (*)(const char*, void**, int, uint64_t, int*);

std::string open_error(const std::string& file) {
  const char* error = dlerror();
  std::string text = error == nullptr ? "" : error;
  if (text.starts_with(file) && text.find("No such file") != std::string::npos)
    return file + " was not found";
  return file + " could not be loaded: " + text;
}

// Looks up the driver's functions. Returns "", or why the library cannot be used.
std::string fill_table(void* library, Driver& table) {
  auto get_address = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (get_address == nullptr) return "the driver has no cuGetProcAddress_v2";
  auto find = [&](const char* name, int version = kOldestDriver) {
    void* address = nullptr;
    int found = 0;
    CUresult status = get_address(name, &address, version, 0, &found);
    return status == CUDA_SUCCESS ? address : nullptr;
  };
#define GPUARRAY_DRIVER_FUNCTION(name, ...)                              \
  table.name = reinterpret_cast<CUresult (*)(__VA_ARGS__)>(find(#name)); \
  if (table.name == nullptr) return "the driver has no " #name;
#define GPUARRAY_NEWER_FUNCTION(version, name, ...) \
  table.name = reinterpret_cast<CUresult (*)(__VA_ARGS__)>(find(#name, version));
#include "runtime/driver/driver_functions.def"
  return "";
}

std::string no_device_text() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::string text = "the driver finds no CUDA device";
  return visible == nullptr ? text : text + " (CUDA_VISIBLE_DEVICES is \"" + visible + "\")";
}

// Reads the driver's version. Returns "", or why the version cannot be used.
std::string check_version(void* library, int& version) {
  auto get_version = reinterpret_cast<GetVersion>(dlsym(library, "cuDriverGetVersion"));
  if (get_version == nullptr) return "the driver has no cuDriverGetVersion";
  CUresult status = get_version(&version);
  if (status == CUDA_ERROR_STUB_LIBRARY)
    return "the libcuda found is the toolkit's stub, no driver";
  if (status != CUDA_SUCCESS) return "cuDriverGetVersion gave error " + std::to_string(status);
  if (version >= kOldestDriver) return "";
  return "the driver supports CUDA " + version_text(version) + ", " + version_text(kOldestDriver) +
         " or newer is needed";
}

// Whether a thread has called cuInit: a child of fork cannot use the driver from then on.
std::atomic<bool> is_initializing = false;

[[maybe_unused]] const int at_fork = pthread_atfork(nullptr, nullptr, [] {
  if (is_initializing) end_driver_in_child();
});

// Loads and initializes the driver. Returns "", or why no CUDA device can be used.
// Throws DeviceError in a child of fork whose parent had called cuInit.
std::string load(DriverState& state) {
  require_driver_of_process();
  const std::string named = text_variable("GPUARRAY_LIBCUDA");
  const std::string file = named.empty() ? "libcuda.so.1" : named;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return open_error(file);
  if (std::string reason = check_version(library, state.version); !reason.empty()) return reason;
  note_driver_version(state.version);
  if (std::string reason = fill_table(library, state.table); !reason.empty()) return reason;
  // A forked child inherits a driver that it cannot use, and at exit static destructors run after
  // the driver's own; both have to be told.
  is_initializing = true;
  CUresult status = state.table.cuInit(0);
  is_initializing = status == CUDA_SUCCESS;
  if (status == CUDA_ERROR_NO_DEVICE) return no_device_text();
  if (status != CUDA_SUCCESS) return "cuInit: " + error_text(state.table, status);
  std::atexit(end_driver_at_exit);
  int devices = 0;
  status = state.table.cuDeviceGetCount(&devices);
  if (status != CUDA_SUCCESS) return "cuDeviceGetCount: " + error_text(state.table, status);
  if (devices == 0) return no_device_text();
  if (std::string reason = device_code_absent_reason(state.version); !reason.empty()) return reason;
  state.devices = devices;
  return "";
}

}  // namespace

std::atomic<int> pending_host_functions = 0;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

const DriverState& driver_state() {
  // The state is never destroyed, because buffers may outlive static destruction.
  static constinit MadeOnce<DriverState> state;
  return state.get([] {
    DriverState loaded;
    loaded.reason = load(loaded);
    return loaded;
  });
}

const Driver& driver() {
  const DriverState& state = driver_state();
  if (state.devices == 0) [[unlikely]]
    throw DeviceError("no CUDA device: " + state.reason);
  require_driver();
  return state.table;
}

}  // namespace gpuarray
