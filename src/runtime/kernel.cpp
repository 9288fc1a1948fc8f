// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/kernel.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "core/build_config.hpp"
#include "core/error.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"
#include "runtime/embedded.hpp"

namespace gpuarray {
namespace {

constexpr int kFatbinVersion = 13000;  // what the embedded device code asks of the driver
constexpr int kBinaryIsPreserved = 1;  // cuda.h, CUlibraryOption: the code is not copied

const EmbeddedModule& find_embedded(const char* family) {
  for (const EmbeddedModule& module : embedded_modules())
    if (std::strcmp(module.name, family) == 0) return module;
  throw DeviceError(std::string("this build has no device code (") +
                    build_config().cuda_absent_reason + "): arrays on cuda need one that has");
}

std::string compute_text(const DeviceProperties& device) {
  return device.name + " (compute capability " + std::to_string(device.compute_major) + "." +
         std::to_string(device.compute_minor) + ")";
}

void* load_library(const char* family) {
  const EmbeddedModule& module = find_embedded(family);
  if (driver().version < kFatbinVersion)
    throw DeviceError(
        "the device code of this build needs a driver for CUDA 13.0 (580 or newer); this one "
        "supports CUDA " +
        std::to_string(driver().version / 1000) + "." +
        std::to_string(driver().version % 1000 / 10));
  int options[] = {kBinaryIsPreserved};
  void* values[] = {reinterpret_cast<void*>(uintptr_t{1})};
  void* library = nullptr;
  GPUARRAY_CHECK(
      cuLibraryLoadData(&library, module.begin, nullptr, nullptr, 0, options, values, 1));
  return library;
}

}  // namespace

KernelHandle find_kernel(const char* family, const std::string& symbol) {
  static std::mutex mutex;
  static auto& libraries = *new std::map<std::string, void*>;
  std::lock_guard lock(mutex);
  void*& library = libraries[family];
  if (library == nullptr) library = load_library(family);
  KernelHandle handle;
  GPUARRAY_CHECK(cuLibraryGetKernel(&handle.kernel, library, symbol.c_str()));
  return handle;
}

void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream) {
  DeviceGuard on(stream.device());
  int status =
      driver().cuLaunchKernel(kernel.kernel, shape.grid[0], shape.grid[1], shape.grid[2],
                              shape.block[0], shape.block[1], shape.block[2], shape.shared_bytes,
                              reinterpret_cast<void*>(stream.handle()), arguments, nullptr);
  if (status == kCudaNoBinaryForGpu || status == kCudaUnsupportedPtxVersion)
    throw DeviceError("the device code of this build is for " +
                      std::string(build_config().gpu_archs) + " and does not run on " +
                      to_string(stream.device()) + ", " +
                      compute_text(properties(stream.device())));
  check_driver(status, "cuLaunchKernel", __FILE__, __LINE__);
}

}  // namespace gpuarray
