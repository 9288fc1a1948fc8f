// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The order of a kernel after the one before it on its stream.
#pragma once

namespace gpuarray {

// Waits until the writes of the previous grid on the stream are visible. Every kernel calls it
// before it touches global memory, because launches use programmatic stream serialization, under
// which a grid may start early. Does nothing before compute capability 9.0, where no grid does.
__device__ inline void wait_for_previous_grid() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace gpuarray
