// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <stdint.h>

// A matrix that the stand-in for cuBLAS passes to its kernel; it lies column by column.
struct GemmMatrix {
  char* data;
  int64_t transposed, leading, batch_stride;  // elements
};

struct GemmArguments {
  int64_t m, n, k, batches;
  GemmMatrix a, b, c;
  int type;  // cudaDataType of a and b
  char* workspace;
  int64_t workspace_bytes;
  alignas(16) unsigned char alpha[16];
  alignas(16) unsigned char beta[16];
};
