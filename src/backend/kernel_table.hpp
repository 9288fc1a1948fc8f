// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"
#include "runtime/kernel.hpp"

namespace gpuarray {

// The ahead-of-time kernels by what they compute; looked up once each, then read from a flat table.
KernelHandle elementwise_kernel(Op op, DType loop);
KernelHandle cast_kernel(DType from, DType to);
KernelHandle reduce_kernel(Reduction reduction, DType source, DType loop);
KernelHandle arange_kernel(DType dtype);
KernelHandle matmul_kernel(DType dtype);

void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream);
void cuda_matmul(DType dtype, const MatmulPlan& plan, const Stream& stream);

}  // namespace gpuarray
