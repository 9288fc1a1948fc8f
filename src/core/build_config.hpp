// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

namespace gpuarray {

// How this library was built; texts are "" where they do not apply.
struct BuildConfig {
  const char* version;
  const char* compiler;            // "gcc 12.2.0"
  const char* nvcc;                // its version
  const char* gpu_archs;           // "75-virtual,90": PTX for 75, machine code for 90
  const char* cuda_absent_reason;  // why there is no device code
  bool cuda_built;
  bool limited_api;
};

const BuildConfig& build_config();

}  // namespace gpuarray
