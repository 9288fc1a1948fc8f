// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// NVRTC knows what device code uses of this header.
#ifndef __CUDACC_RTC__
#include_next <assert.h>
#endif
