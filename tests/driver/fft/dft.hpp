// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <stdint.h>

// How a batch of transforms lies in memory, for the kernel of the stand-in for cuFFT. Steps and the
// distance count elements.
struct DftSide {
  char* data;
  int64_t extents[3], steps[3];
  int64_t distance;
  int64_t is_complex;
};

struct DftArguments {
  int64_t rank, batch;
  int64_t lengths[3];
  DftSide input, output;
  int64_t is_double, forward;
  // For two arrays of complex double a transform.
  double* workspace;
  int64_t workspace_elements;  // of one of them
};
