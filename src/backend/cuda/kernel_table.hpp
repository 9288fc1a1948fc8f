// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/backend.hpp"
#include "backend/expression.hpp"
#include "kernels/scan/scan_params.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {

// How an element-wise kernel walks its operands: any strides, contiguous, row by row, or tiles.
enum class Path : uint8_t { any, flat, rows, tile };

// What an element-wise kernel computes, and in which dtypes its operands lie.
struct ElementwiseLoop {
  static constexpr int kCast = 127;  // in the place of an Op: from dtypes[1] to dtypes[0]

  int op;
  DType loop;
  int operands;
  DType dtypes[kMaxOperands];

  // The dtype of operand k where nothing is converted.
  DType natural(int k) const;
  bool converts() const;
};

// Whether the sources of kernels/aot hold this kernel.
bool is_built_ahead(Path path, const ElementwiseLoop& what);

// What a kernel that is compiled at run time takes for granted of its launches, which halves the
// time to compile it: p.vectors & 1 of rows, p.turned of tiles.
using Variant = uint32_t;

// The kernels by what they compute, as functions of the device: looked up once each, then read from
// its tables; built ahead, or compiled at run time. A null handle: there is none, and `compile` is
// false or there is no compiler. Path::any converts only by kCast, and is never null.
KernelHandle elementwise_kernel(Path path, const ElementwiseLoop& what, Device device, bool compile,
                                Variant variant = 0);
KernelHandle reduce_kernel(Reduction reduction, DType source, DType loop, Device device);
KernelHandle scan_kernel(ScanPath path, Scan scan, DType source, DType loop, Device device);
KernelHandle arange_kernel(DType dtype, Device device);
// `small`: a thread for each element.
KernelHandle matmul_kernel(DType dtype, bool small, Device device);
KernelHandle join_kernel(Device device);

// The kernels of kernels/sort.def.
enum class SortKernel : int {
#define GPUARRAY_SORT_KERNEL(name, ...) name,
#include "kernels/sort.def"
};
KernelHandle sort_kernel(SortKernel which, Device device);
// A kernel of kernels/{indexed,resolve,select}.cuh.
struct IndexingKernel {
  enum Action : uint8_t {
    gather,
    scatter,
    resolve,
    claim,
    drop,
    drop_few,
    count_tiles,
    select,
    spread,
    nonzero
  };

  Action action;
  bool any = false;  // over any strides
  int bytes = 0;     // of a word; of the numbers of claim and drop
  DType index = DType::int64;
};
KernelHandle indexing_kernel(const IndexingKernel& what, Device device);
// That of kernels/indexing/combine_at.cuh, with indices of int64.
KernelHandle combine_kernel(bool any, Op op, DType dtype, Device device);
KernelHandle search_kernel(DType dtype, Device device);
KernelHandle histogram_kernel(DType dtype, Device device);  // integers and floats

// The kernel `symbol` of a text, on the device: compiled at the first call. Throws CompileError,
// and DeviceError where there is no compiler.
void* compiled_kernel(Device device, const std::string& text, const std::string& symbol);

// Enough blocks of a grid-stride kernel for `count` elements, no more than fill the device.
LaunchShape linear_launch(int64_t count, const Stream& stream);

void cuda_elementwise(const ElementwiseLoop& what, const ElementwisePlan& plan,
                      const StreamPtr& stream);
void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream);
void cuda_scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream);
void cuda_expression(Expression& expression, ExpressionPlan& plan, const StreamPtr& stream);
void cuda_join(const JoinPlan& plan, const Stream& stream);
void cuda_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream);
// By cuBLAS; false, with nothing queued, where it does not do this product or is not installed.
bool library_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream);
void cuda_gather(const IndexedPlan& plan, const StreamPtr& stream);
void cuda_scatter(const IndexedPlan& plan, const StreamPtr& stream);
void cuda_combine(Op op, const IndexedPlan& plan, const StreamPtr& stream);
void cuda_count_true(const bool* mask, int64_t size, const MaskFlags& found,
                     const StreamPtr& stream);
void cuda_select(IndexingKernel::Action action, const SelectPlan& plan, const Stream& stream);
void cuda_nonzero(const NonzeroPlan& plan, const Stream& stream);

}  // namespace gpuarray
