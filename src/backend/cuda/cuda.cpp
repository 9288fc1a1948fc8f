// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/cuda.hpp"

#include <algorithm>

#include "backend/cuda/operations.hpp"
#include "backend/cuda/paths.hpp"
#include "backend/steps.hpp"
#include "core/divide.hpp"
#include "kernels/tuning.hpp"
#include "runtime/device/device.hpp"
#include "runtime/launch/kernel.hpp"

namespace gpuarray {
namespace {

class CudaBackend final : public Backend {
 public:
  void elementwise(std::optional<Op> op, DType loop, const ElementwisePlan& plan,
                   const StreamPtr& stream) override {
    cuda_elementwise(op, loop, plan, stream);
  }

  bool steps(const Steps& steps, const StreamPtr& stream) override {
    return cuda_steps(steps, stream);
  }
  ReadyFlag prepare(const Steps& steps, Device device) override {
    return cuda_prepare(steps, device);
  }
  StepsCost cost_of(const Steps& steps) const override { return cuda_cost_of(steps); }
  bool may_join_rows(Reduction reduction, DType loop, const ReducePlan& plan,
                     Device device) const override {
    return cuda_may_join_rows(reduction, loop, plan, device);
  }
  bool may_hold_rows(int64_t columns, int64_t bytes, int widest, int value_bytes) const override {
    return paths::may_hold_rows(columns, bytes, widest, value_bytes);
  }

  bool may_reduce_steps(int64_t size) const override { return cuda_may_reduce_steps(size); }
  bool reduce_steps(const Steps& steps, Reduction reduction, DType loop, const ReducePlan& plan,
                    const StreamPtr& stream) override {
    return cuda_reduce_steps(steps, reduction, loop, plan, stream);
  }
  ReadyFlag prepare_reduction(const Steps& steps, Reduction reduction, DType loop,
                              const ReducePlan& plan, Device device) override {
    return cuda_prepare_reduction(steps, reduction, loop, plan, device);
  }

  void reduce(Reduction reduction, DType loop, const ReducePlan& plan,
              const StreamPtr& stream) override {
    cuda_reduce(reduction, loop, plan, stream);
  }

  void scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream) override {
    cuda_scan(scan, loop, plan, stream);
  }

  void arange(DType dtype, void* data, int64_t length, const Scalar& start, const Scalar& step,
              const Scalar* last, const StreamPtr& stream) override {
    cuda_arange(dtype, data, length, start, step, last, *stream);
  }

  void expression(Expression& expression, ExpressionPlan& plan, const StreamPtr& stream) override {
    cuda_expression(expression, plan, stream);
  }

  void join(const JoinPlan& plan, const StreamPtr& stream) override { cuda_join(plan, *stream); }

  bool triangle(const TrianglePlan& plan, const StreamPtr& stream) override {
    return cuda_triangle(plan, *stream);
  }

  void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr& stream) override {
    cuda_matmul(dtype, plan, stream);
  }

  void gather(const IndexedPlan& plan, const StreamPtr& stream) override {
    cuda_gather(plan, stream);
  }
  void scatter(const IndexedPlan& plan, const StreamPtr& stream) override {
    cuda_scatter(plan, stream);
  }
  void combine(Op op, const IndexedPlan& plan, const StreamPtr& stream) override {
    cuda_combine(op, plan, stream);
  }
  void count_true(const bool* mask, int64_t size, const MaskFlags& found,
                  const StreamPtr& stream) override {
    cuda_count_true(mask, size, found, stream);
  }
  void select(const SelectPlan& plan, const StreamPtr& stream) override {
    cuda_select(plan, *stream);
  }
  void spread(const SelectPlan& plan, const StreamPtr& stream) override {
    cuda_spread(plan, *stream);
  }
  void nonzero(const NonzeroPlan& plan, const StreamPtr& stream) override {
    cuda_nonzero(plan, *stream);
  }
  void sort(const SortPlan& plan, const StreamPtr& stream) override { cuda_sort(plan, stream); }
  void argsort(const SortPlan& plan, const StreamPtr& stream) override {
    cuda_argsort(plan, stream);
  }
  bool may_select_rows(DType dtype, int64_t length, int64_t kept) const override {
    return cuda_may_select_rows(dtype, length, kept);
  }
  void select_rows(const RankPlan& plan, const StreamPtr& stream) override {
    cuda_select_rows(plan, stream);
  }
  void count_runs(const RunsPlan& plan, const StreamPtr& stream) override {
    cuda_count_runs(plan, stream);
  }
  bool may_find_keys(DType dtype, int64_t count) const override {
    return cuda_may_find_keys(dtype, count);
  }
  bool may_mark_keys(const DistinctPlan& plan) const override { return cuda_may_mark_keys(plan); }
  void find_key_range(const DistinctPlan& plan, KeyRange* range, const StreamPtr& stream) override {
    cuda_find_key_range(plan, range, stream);
  }
  void mark_keys(const DistinctPlan& plan, const StreamPtr& stream) override {
    cuda_mark_keys(plan, stream);
  }
  void write_keys(const DistinctPlan& plan, int64_t count, void* target,
                  const StreamPtr& stream) override {
    cuda_write_keys(plan, count, target, stream);
  }
  void search(const SearchPlan& plan, const StreamPtr& stream) override {
    cuda_search(plan, stream);
  }
  void histogram(const HistogramPlan& plan, const StreamPtr& stream) override {
    cuda_histogram(plan, stream);
  }
  void random(const RandomPlan& plan, const StreamPtr& stream) override {
    cuda_random(plan, stream);
  }
  void draw(const DistributionPlan& plan, const StreamPtr& stream) override {
    cuda_draw(plan, stream);
  }
  FftOutcome fft(const FftPlan& plan, const StreamPtr& stream) override {
    return cuda_fft(plan, stream);
  }
};

}  // namespace

LaunchShape linear_launch(int64_t count, const Stream& stream) {
  int64_t most =
      int64_t{properties(stream.device()).multiprocessors} * kElementwiseBlocksPerMultiprocessor;
  int64_t blocks = divide_up(count, kElementwiseBlock);
  return LaunchShape::linear(std::min(blocks, most), kElementwiseBlock);
}

Backend& cuda_backend() {
  static CudaBackend backend;
  return backend;
}

}  // namespace gpuarray
