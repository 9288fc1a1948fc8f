// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/cuda/kernel_table.hpp"

// The CUDA C++ text of a kernel that is compiled at run time, always named kSymbol: the same
// templates as the kernels built ahead.
namespace gpuarray::source {

inline constexpr const char* kSymbol = "gpuarray_kernel";

// The C++ type in dtypes.def.
std::string cpp_type(DType dtype);

std::string elementwise(Path path, const ElementwiseLoop& what, Variant variant);
std::string reduce(Reduction reduction, DType source, DType loop);
std::string scan(ScanPath path, Scan scan, DType source, DType loop);
std::string arange(DType dtype);
std::string matmul(DType dtype, bool small);
std::string join();
std::string sort(SortKernel which);
std::string indexing(const IndexingKernel& what);
std::string combine(bool any, Op op, DType dtype);
std::string search(DType dtype);
std::string histogram(DType dtype);

}  // namespace gpuarray::source
