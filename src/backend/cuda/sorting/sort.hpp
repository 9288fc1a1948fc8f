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

// These are Backend's functions of the same names, with their contracts, on a CUDA device.
void cuda_sort(const SortPlan& plan, const StreamPtr& stream);
void cuda_argsort(const SortPlan& plan, const StreamPtr& stream);
bool cuda_may_select_rows(DType dtype, int64_t length, int64_t kept);
void cuda_select_rows(const RankPlan& plan, const StreamPtr& stream);
void cuda_count_runs(const RunsPlan& plan, const StreamPtr& stream);
bool cuda_may_find_keys(DType dtype, int64_t count);
bool cuda_may_mark_keys(const DistinctPlan& plan);
void cuda_find_key_range(const DistinctPlan& plan, KeyRange* range, const StreamPtr& stream);
void cuda_mark_keys(const DistinctPlan& plan, const StreamPtr& stream);
void cuda_write_keys(const DistinctPlan& plan, int64_t count, void* target,
                     const StreamPtr& stream);

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
