// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/kernel_table.hpp"

#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "runtime/code/embedded_module.hpp"
#include "runtime/code/jit.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

// Returns the kernel's function on the device, or null if it has no code for it.
CUfunction function_on(Device device, KernelHandle kernel) {
  if (kernel.kernel == nullptr) return nullptr;
  DeviceGuard on(device);
  CUfunction function = nullptr;
  CUresult status =
      GPUARRAY_CALL(cuKernelGetFunction(&function, static_cast<CUkernel>(kernel.kernel)));
  if (lacks_device_code(status)) return nullptr;
  check_driver(status, "cuKernelGetFunction", __FILE__, __LINE__);
  return function;
}

}  // namespace

void* compiled_kernel(Device device, const std::string& text, const std::string& symbol) {
  CUfunction function = function_on(device, compile_kernel(device, text, symbol));
  if (function == nullptr) throw_lacks_device_code(device.index);
  return function;
}

void* loaded_kernel(Device device, const std::string& image, const std::string& symbol) {
  CUfunction function = function_on(device, load_image(device, image, symbol));
  if (function == nullptr) throw_lacks_device_code(device.index);
  return function;
}

bool KernelEntry::can_compile() { return nvrtc_library.available(); }

void KernelEntry::notify_missing(Device device) {
  if (!can_compile()) throw_lacks_device_code(device.index);
  warn_compiling(device);
}

void* KernelEntry::look_up(const BuiltKernel& built, Device device) {
  DeviceGuard on(device);  // this may be the first use of the device on this thread
  void* found = function_on(device, find_kernel(built.module, "gpuarray_" + built.symbol));
  if (found == nullptr) found = kNotBuilt;
  value_.store(found, std::memory_order_release);
  return found;
}

KernelHandle KernelEntry::compile(const std::string& text, Device device) {
  void* made = compiled_kernel(device, text, source::kSymbol);
  value_.store(made, std::memory_order_release);
  return {made};
}

KernelHandle KernelEntry::try_to_compile(const std::string& text, Device device) {
  // A compiler or driver of another version may fail; then a slower kernel is used instead.
  try {
    return compile(text, device);
  } catch (const CompileError& error) {
    warn_not_compiled(error.what());
  } catch (const DeviceError& error) {
    warn_not_compiled(error.what());
  }
  value_.store(kFailed, std::memory_order_release);
  return {};
}

}  // namespace gpuarray
