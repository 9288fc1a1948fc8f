// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/jit.hpp"

#include <atomic>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "runtime/cache/disk_cache.hpp"
#include "runtime/code/code_cache.hpp"
#include "runtime/code/compile.hpp"
#include "runtime/code/compiled_table.hpp"
#include "runtime/code/embedded_module.hpp"
#include "runtime/code/saved_images.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"
#include "runtime/driver/user_warning.hpp"

namespace gpuarray {
namespace {

// Loads an image and returns its kernel, which serves all devices of this compute capability.
CUkernel load_kernel(Device device, const std::string& image, const std::string& symbol) {
  DeviceGuard on(device);
  CUlibrary library = nullptr;
  CUresult status = GPUARRAY_CALL(
      cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  if (lacks_device_code(status))
    throw DeviceError("the driver, for CUDA " + version_text(driver_state().version) +
                      ", refuses the code of " + nvrtc_library.path() + ", of CUDA " +
                      version_text(nvrtc_library.version().cuda_number()));
  check_driver(status, "cuLibraryLoadData", __FILE__, __LINE__);
  CUkernel kernel = nullptr;
  status = GPUARRAY_CALL(cuLibraryGetKernel(&kernel, library, symbol.c_str()));
  if (status != CUDA_SUCCESS) GPUARRAY_CALL(cuLibraryUnload(library));
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return kernel;
}

CUkernel make_kernel(Device device, const std::string& source, const std::string& symbol) {
  const DeviceProperties& found = properties(device);
  if (const auto saved = saved_image(source, found.compute_major, found.compute_minor)) {
    try {
      return load_kernel(device, *saved, symbol);
    } catch (const Error&) {  // PTX for a newer driver, or damaged: it is compiled
    }
  }
  const std::string key =
      compiled_key(kernel_request(source, found.compute_major, found.compute_minor));
  if (std::optional<std::string> stored = disk_cache_load(key)) {
    try {
      return load_kernel(device, *stored, symbol);
    } catch (const Error&) {  // made for another driver or damaged: it is replaced
    }
  }
  std::string image;
  blocking([&] { image = compile_cubin(source, found.compute_major, found.compute_minor); });
  const CUkernel kernel = load_kernel(device, image, symbol);
  disk_cache_store(key, image);
  return kernel;
}

}  // namespace

std::string compile_image(Device device, const std::string& source) {
  const DeviceProperties& found = properties(device);
  if (const auto saved = saved_image(source, found.compute_major, found.compute_minor))
    return *saved;
  return kernel_image_cached(kernel_request(source, found.compute_major, found.compute_minor));
}

KernelHandle load_image(Device device, const std::string& image, const std::string& symbol) {
  return {load_kernel(device, image, symbol)};
}

namespace {

using Key = std::tuple<int, int, std::string, std::string>;  // compute capability, source, symbol
auto& kernels = *new CompiledTable<Key, CUkernel>;  // never destroyed, as threads may use it

}  // namespace

KernelHandle compile_kernel(Device device, const std::string& source, const std::string& symbol) {
  const DeviceProperties& found = properties(device);
  auto& [mutex, kernel] = kernels.entry({found.compute_major, found.compute_minor, source, symbol});
  const BlockingLock lock(mutex);
  if (kernel == nullptr) kernel = make_kernel(device, source, symbol);
  return {kernel};
}

void warn_compiling(Device device) {
  static std::atomic<bool> told = false;
  if (!told.exchange(true))
    warn_user("this build lacks a kernel for " + device_text(device) +
              "; such kernels are compiled at first use and kept in " + disk_cache_info().folder);
}

void warn_not_compiled(const std::string& why) {
  static std::atomic<bool> told = false;
  if (!told.exchange(true)) warn_user("a slower kernel is used, as a faster one failed: " + why);
}

}  // namespace gpuarray
