// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "backend/sorting.hpp"
#include "core/dtype.hpp"
#include "kernels/sort/sort_key.cuh"
#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The kernels of sorting, one for each row of kernels/sort.def.
enum class SortKernel : int {
#define GPUARRAY_SORT_KERNEL(name, ...) name,
#include "kernels/sort.def"
};
// Returns the kernel on the device. Throws as KernelFamily::find.
KernelHandle sort_kernel(SortKernel which, Device device);

// Returns the one of four kernels that is for elements of as many bits as those of `dtype`.
SortKernel kernel_for(DType dtype, SortKernel of_8, SortKernel of_16, SortKernel of_32,
                      SortKernel of_64);

// Returns how unsigned sort keys are made of elements of `dtype`.
KeyKind key_kind(DType dtype);
// Returns the bits of infinity as an element of `dtype`; 0 for integers.
uint64_t key_infinity(DType dtype);

}  // namespace gpuarray
