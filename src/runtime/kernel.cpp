// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/kernel.hpp"

#include "core/error.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"
#include "runtime/module.hpp"

namespace gpuarray {

KernelHandle find_kernel(const char* family, const std::string& symbol) {
  CUlibrary library = load_module(family);
  if (library == nullptr) return {};
  CUkernel kernel = nullptr;
  CUresult status = driver().cuLibraryGetKernel(&kernel, library, symbol.c_str());
  if (status == CUDA_ERROR_NOT_FOUND || lacks_device_code(status)) return {};
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return {kernel};
}

void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream) {
  if (kernel.kernel == nullptr) throw DeviceError("this build has no kernel for this operation");
  DeviceGuard on(stream.device());
  const auto& [grid, block, shared_bytes] = shape;
  // A CUkernel stands for the function that it is in the current context.
  CUresult status = driver().cuLaunchKernel(
      static_cast<CUfunction>(kernel.kernel), grid[0], grid[1], grid[2], block[0], block[1],
      block[2], shared_bytes, stream_handle(stream.handle()), arguments, nullptr);
  if (lacks_device_code(status)) throw_lacks_device_code(stream.device().index);
  check_driver(status, "cuLaunchKernel", __FILE__, __LINE__);
}

}  // namespace gpuarray
