// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"
#include "runtime/launch/kernel.hpp"

// Backend's functions on CUDA devices; each is in the source file of its family of kernels. Their
// contracts are those of Backend's functions.
namespace gpuarray {

class Buffer;
struct Step;
struct Steps;

// Returns the launch of a grid-stride kernel over `count` elements, with no more blocks than fill
// the stream's device.
LaunchShape linear_launch(int64_t count, const Stream& stream);

// Returns whether vectors of 16 bytes can be loaded from `data` on.
inline bool is_aligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; }

// Returns the launch of a kernel of selections over so many elements or flags.
LaunchShape select_launch(int64_t size);
// Writes to sums[t] the sum of the int32 counts of the tiles 0 to t.
void sum_tiles(const Buffer& counts, int64_t tiles, int64_t* sums, const StreamPtr& stream);

void cuda_arange(DType dtype, void* data, int64_t length, Scalar start, Scalar step,
                 const Scalar* last, const Stream& stream);
void cuda_draw(const DistributionPlan& plan, const StreamPtr& stream);
void cuda_elementwise(std::optional<Op> op, DType loop, const ElementwisePlan& plan,
                      const StreamPtr& stream);
// Copies rows of small elements whose bytes lie at any addresses. Returns false, with nothing
// queued, if they are of another kind.
bool cuda_copy_rows(const ElementwisePlan& plan, const Stream& stream);
void cuda_reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr& stream);
void cuda_scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream);
void cuda_expression(Expression& expression, ExpressionPlan& plan, const StreamPtr& stream);
bool cuda_steps(const Steps& steps, const StreamPtr& stream);
ReadyFlag cuda_prepare(const Steps& steps, Device device);
StepsCost cuda_cost_of(const Steps& steps);
bool cuda_may_join_rows(Reduction reduction, DType loop, const ReducePlan& plan, Device device);
bool cuda_may_reduce_steps(int64_t size);
bool cuda_reduce_steps(const Steps& steps, Reduction reduction, DType loop, const ReducePlan& plan,
                       const StreamPtr& stream);
ReadyFlag cuda_prepare_reduction(const Steps& steps, Reduction reduction, DType loop,
                                 const ReducePlan& plan, Device device);
bool cuda_triangle(const TrianglePlan& plan, const Stream& stream);
void cuda_join(const JoinPlan& plan, const Stream& stream);
// Multiplies rows by a vector and sums them in the kernel that reads them: plan.has_long_dots.
void cuda_dot(DType dtype, const MatmulPlan& plan, const StreamPtr& stream);
void cuda_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream);
// Multiplies by cuBLAS. Returns false, with nothing queued, if cuBLAS does not offer this product
// or is not installed.
bool library_matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream);
FftOutcome cuda_fft(const FftPlan& plan, const StreamPtr& stream);
// Queues the plan by a kernel of our own, which scales. Returns false, with nothing queued, if that
// does not do it or there is no compiler for it.
bool cuda_fft_lines(const FftPlan& plan, const StreamPtr& stream, const LaunchLabel& label);
void cuda_gather(const IndexedPlan& plan, const StreamPtr& stream);
void cuda_scatter(const IndexedPlan& plan, const StreamPtr& stream);
void cuda_combine(Op op, const IndexedPlan& plan, const StreamPtr& stream);
void cuda_count_true(const bool* mask, int64_t size, const MaskFlags& found,
                     const StreamPtr& stream);
void cuda_select(const SelectPlan& plan, const Stream& stream);
void cuda_spread(const SelectPlan& plan, const Stream& stream);
void cuda_nonzero(const NonzeroPlan& plan, const Stream& stream);
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
void cuda_search(const SearchPlan& plan, const StreamPtr& stream);
void cuda_histogram(const HistogramPlan& plan, const StreamPtr& stream);
void cuda_random(const RandomPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
