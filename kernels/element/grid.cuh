// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How a kernel stands to the one before it on its stream.
#pragma once

namespace gpuarray {

// First in every kernel: launches use programmatic stream serialization, under which a grid may
// start before the last one's writes are visible. Waits for them; nothing before compute
// capability 9.0, where no grid starts early.
__device__ inline void wait_for_previous_grid() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace gpuarray
