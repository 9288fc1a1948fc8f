// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <stdint.h>

// What a handle of the stand-in for cuBLAS was set to.
struct Blas {
  void* stream = nullptr;
  char* workspace = nullptr;
  int64_t workspace_bytes = 0;
};
