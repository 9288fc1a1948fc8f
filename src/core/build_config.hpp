// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace gpuarray {

// How this library was built. Texts that do not apply to the build are "".
struct BuildConfig {
  const char* version;
  const char* compiler;            // name and version, "gcc 12.2.0"
  const char* nvcc;                // version of nvcc, "13.0.88"
  const char* gpu_archs;           // "75-virtual,90": PTX for 75 and machine code for 90
  const char* cuda_absent_reason;  // why the build has no device code
  bool cuda_built;
  bool limited_api;
};

// The configuration that meson wrote at build time.
const BuildConfig& build_config();

}  // namespace gpuarray
