// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/kernel.hpp"

#include "core/error.hpp"
#include "runtime/device.hpp"
#include "runtime/driver.hpp"
#include "runtime/module.hpp"

namespace gpuarray {

KernelHandle find_kernel(const std::string& family, const std::string& symbol) {
  CUlibrary library = load_module(family);
  if (library == nullptr) return {};
  CUkernel kernel = nullptr;
  CUresult status = driver().cuLibraryGetKernel(&kernel, library, symbol.c_str());
  if (status == CUDA_ERROR_NOT_FOUND || lacks_device_code(status)) return {};
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return {kernel};
}

namespace {

// A grid may start while the one before it ends, which makes queueing it cheaper; every kernel
// waits for the other's writes itself (kernels/grid.cuh). Compute capability 9.0 and newer.
CUlaunchAttribute* early_start() {
  static CUlaunchAttribute attribute = [] {
    CUlaunchAttribute made{};
    made.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    made.value.programmaticStreamSerializationAllowed = 1;
    return made;
  }();
  return &attribute;
}

}  // namespace

void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream) {
  if (kernel.kernel == nullptr) throw DeviceError("this build has no kernel for this operation");
  DeviceGuard on(stream.device());
  const auto& [grid, block, shared_bytes] = shape;
  const bool starts_early = properties(stream.device()).compute_major >= 9;
  const CUlaunchConfig config{grid[0],
                              grid[1],
                              grid[2],
                              block[0],
                              block[1],
                              block[2],
                              shared_bytes,
                              stream_handle(stream.handle()),
                              starts_early ? early_start() : nullptr,
                              starts_early ? 1u : 0u};
  CUresult status = driver().cuLaunchKernelEx(&config, static_cast<CUfunction>(kernel.kernel),
                                              arguments, nullptr);
  if (lacks_device_code(status)) throw_lacks_device_code(stream.device().index);
  check_driver(status, "cuLaunchKernelEx", __FILE__, __LINE__);
}

}  // namespace gpuarray
