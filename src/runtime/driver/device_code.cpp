// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/device_code.hpp"

#include <cstdlib>

#include "core/build_config.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

// Names the oldest driver release that runs device code of this major version of nvcc.
std::string oldest_release(int major) {
  if (major == 12) return " (525 or newer)";
  return major == 13 ? " (580 or newer)" : "";
}

// Returns why the driver can run no kernel of this build, "" if it can.
std::string build_unusable_reason(int driver_version) {
  const BuildConfig& config = build_config();
  if (!config.cuda_built)
    return std::string("this build has no device code: ") + config.cuda_absent_reason;
  int major = std::atoi(config.nvcc);
  if (driver_version >= major * 1000) return "";
  return "the device code of this build needs a driver for CUDA " + version_text(major * 1000) +
         oldest_release(major) + "; this one supports " + version_text(driver_version);
}

// Returns why the driver can run nothing compiled at run time, "" if it can. Drivers run the code
// of every compiler of their own major version of CUDA or an older one.
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
  return build + "; and it cannot compile any: " + compiler + "; " + install_command();
}

}  // namespace gpuarray
