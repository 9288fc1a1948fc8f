// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/module.hpp"

#include <cstdlib>
#include <map>
#include <mutex>

#include "core/build_config.hpp"
#include "core/error.hpp"
#include "runtime/code/embedded.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

// The oldest driver release for device code of this major version of nvcc.
std::string oldest_release(int major) {
  if (major == 12) return " (525 or newer)";
  return major == 13 ? " (580 or newer)" : "";
}

CUlibrary load(const EmbeddedModule& module) {
  CUlibrary library = nullptr;
  // The image is part of this library, so that the driver need not copy it.
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  void* value = reinterpret_cast<void*>(uintptr_t{1});
  CUresult status = GPUARRAY_CALL(
      cuLibraryLoadData(&library, module.begin, nullptr, nullptr, 0, &option, &value, 1));
  if (lacks_device_code(status)) return nullptr;
  check_driver(status, "cuLibraryLoadData", __FILE__, __LINE__);
  return library;
}

// Why the driver can run no kernel of this build, "" if it can.
std::string build_unusable_reason(int driver_version) {
  const BuildConfig& config = build_config();
  if (!config.cuda_built)
    return std::string("this build has no device code: ") + config.cuda_absent_reason;
  int major = std::atoi(config.nvcc);
  if (driver_version >= major * 1000) return "";
  return "the device code of this build needs a driver for CUDA " + version_text(major * 1000) +
         oldest_release(major) + "; this one supports " + version_text(driver_version);
}

// Why it can run nothing compiled at run time, "" if it can. Drivers run code of any compiler of
// their major version and before.
std::string compiler_unusable_reason(int driver_version) {
  if (!nvrtc_library.available()) return nvrtc_library.absent_reason();
  if (driver_version / 1000 >= nvrtc_library.version().cuda_number() / 1000) return "";
  return "code of the compiler found, " + nvrtc_library.path() + ", needs a driver for CUDA " +
         version_text(nvrtc_library.version().cuda_number() / 1000 * 1000);
}

}  // namespace

std::string device_code_absent_reason(int driver_version) {
  std::string build = build_unusable_reason(driver_version);
  if (build.empty()) return "";
  std::string compiler = compiler_unusable_reason(driver_version);
  if (compiler.empty()) return "";
  return build + "; and it cannot compile any: " + compiler + "; " + kInstallLibraries;
}

CUlibrary load_module(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& loaded = *new std::map<std::string, CUlibrary>;
  const BlockingLock lock(mutex);
  if (auto found = loaded.find(name); found != loaded.end()) return found->second;
  for (const EmbeddedModule& module : embedded_modules())
    if (name == module.name) return loaded.emplace(name, load(module)).first->second;
  return nullptr;
}

bool lacks_device_code(CUresult status) {
  switch (status) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
      return true;
    default:
      return false;
  }
}

std::string device_text(Device device) {
  const DeviceProperties& found = properties(device);
  return to_string(device) + " (" + found.name + ", compute capability " +
         std::to_string(found.compute_major) + "." + std::to_string(found.compute_minor) + ")";
}

void throw_lacks_device_code(int device_index) {
  throw DeviceError("this build has no device code for " + device_text(Device::cuda(device_index)) +
                    "; it was built for " +
                    (build_config().cuda_built ? build_config().gpu_archs : "none"));
}

}  // namespace gpuarray
