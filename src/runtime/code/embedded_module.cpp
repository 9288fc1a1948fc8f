// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/code/embedded_module.hpp"

#include <cstdlib>
#include <map>

#include "core/build_config.hpp"
#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/code/embedded.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {
namespace {

constinit Mutex mutex;  // guards `loaded`, and is held while the driver loads a module
auto& loaded GUARDED_BY(mutex) = *new std::map<std::string, CUlibrary>;

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

}  // namespace

CUlibrary load_module(const std::string& name) {
  const BlockingLock lock(mutex);
  if (auto found = loaded.find(name); found != loaded.end()) return found->second;
  for (const EmbeddedModule& module : embedded_modules())
    if (name == module.name) return loaded.emplace(name, load(module)).first->second;
  return nullptr;
}

KernelHandle find_kernel(const std::string& module, const std::string& symbol) {
  CUlibrary library = load_module(module);
  if (library == nullptr) return {};
  CUkernel kernel = nullptr;
  CUresult status = GPUARRAY_CALL(cuLibraryGetKernel(&kernel, library, symbol.c_str()));
  if (status == CUDA_ERROR_NOT_FOUND || lacks_device_code(status)) return {};
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return {kernel};
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
