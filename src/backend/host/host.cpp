// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/host.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "backend/host/loops.hpp"
#include "backend/host/reduce.hpp"
#include "backend/host/scan.hpp"
#include "backend/host/walk.hpp"
#include "backend/visit.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"

namespace gpuarray {
namespace host {
namespace {

RowLoop elementwise_loop(Op op, DType dtype) {
  static const LoopTable table = [] {
    LoopTable filled;
    add_integer_loops(filled);
    add_half_loops(filled);
    add_float_loops(filled);
    add_complex_loops(filled);
    return filled;
  }();
  return table.loops[static_cast<int>(op)][static_cast<int>(dtype)];
}

ReduceLoop reduction_loop(Reduction reduction, DType source, DType loop) {
  static const ReduceTable table = [] {
    ReduceTable filled;
    add_integer_reductions(filled);
    add_half_reductions(filled);
    add_float_reductions(filled);
    add_complex_reductions(filled);
    return filled;
  }();
  const auto row = static_cast<int>(loops_of(reduction));
  return table.loops[source != loop][row][static_cast<int>(source)];
}

ScanLoop scan_loop_of(Scan scan, DType source, DType loop) {
  static const ScanTable table = [] {
    ScanTable filled;
    add_integer_scans(filled);
    add_half_scans(filled);
    add_float_scans(filled);
    add_complex_scans(filled);
    return filled;
  }();
  return table.loops[source != loop][static_cast<int>(scan)][static_cast<int>(source)];
}

struct PlanOperands {
  char* data[kMaxOperands];
  int64_t steps[kMaxOperands];  // along the innermost axis, elements
  int itemsizes[kMaxOperands];
};

// Runs `loop` over every row of the plan.
template <class Loop>
void run_rows(const ElementwisePlan& plan, PlanOperands operands, Loop&& loop) {
  int inner = plan.shape.size() - 1;
  int64_t count = inner < 0 ? 1 : plan.shape[inner];
  Odometer walk(plan.shape, inner);
  for (int64_t done = 0; done < plan.size; done += count) {
    loop(operands.data, operands.steps, count);
    walk.next([&](int axis, int64_t steps) {
      for (int k = 0; k < plan.operand_count; ++k)
        operands.data[k] += steps * plan.strides[k][axis] * operands.itemsizes[k];
    });
  }
}

PlanOperands operands_of(const ElementwisePlan& plan) {
  PlanOperands operands;
  int inner = plan.shape.size() - 1;
  for (int k = 0; k < plan.operand_count; ++k) {
    bool scalar = plan.data[k] == nullptr;
    operands.data[k] = scalar ? reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalar(k)))
                              : static_cast<char*>(plan.data[k]);
    operands.steps[k] = inner < 0 ? 0 : plan.strides[k][inner];
    operands.itemsizes[k] = itemsize(plan.dtypes[k]);
  }
  return operands;
}

// Runs the loop of `op` over operands of other dtypes, which are converted in blocks that fit into
// the cache.
class ConvertingLoop {
 public:
  ConvertingLoop(Op op, DType loop, const ElementwisePlan& plan)
      : loop_(elementwise_loop(op, loop)), operands_(plan.operand_count) {
    for (int k = 0; k < operands_; ++k) {
      const bool selects = k == 1 && info(op).rule == OpRule::SELECT;
      const DType natural = k == 0 ? loop_of(op, loop)->result : selects ? DType::bool_ : loop;
      size_[k] = itemsize(plan.dtypes[k]);
      if (plan.dtypes[k] == natural) continue;
      casts_[k] = k == 0 ? cast_loop(natural, plan.dtypes[k]) : cast_loop(plan.dtypes[k], natural);
      converts_ = true;
    }
  }

  bool converts() const { return converts_; }

  void operator()(char* const* data, const int64_t* steps, int64_t count) const {
    for (int64_t done = 0; done < count; done += kChunk)
      run_chunk(data, steps, done, std::min(kChunk, count - done));
  }

 private:
  static constexpr int64_t kChunk = 512;

  void run_chunk(char* const* data, const int64_t* steps, int64_t done, int64_t count) const {
    alignas(64) char converted[kMaxOperands][kChunk * kMaxItemsize];
    char* at[kMaxOperands];
    int64_t step[kMaxOperands];
    for (int k = 0; k < operands_; ++k) {
      at[k] = data[k] + done * steps[k] * size_[k];
      step[k] = steps[k];
      if (casts_[k] == nullptr) continue;
      char* const pair[] = {converted[k], at[k]};
      const int64_t pair_steps[] = {1, steps[k]};
      if (k > 0) casts_[k](pair, pair_steps, steps[k] == 0 ? 1 : count);
      at[k] = converted[k];
      step[k] = k > 0 && steps[k] == 0 ? 0 : 1;
    }
    loop_(at, step, count);
    if (casts_[0] == nullptr) return;
    char* const pair[] = {data[0] + done * steps[0] * size_[0], converted[0]};
    const int64_t pair_steps[] = {steps[0], 1};
    casts_[0](pair, pair_steps, count);
  }

  RowLoop loop_;
  int operands_;
  bool converts_ = false;
  int size_[kMaxOperands];
  RowLoop casts_[kMaxOperands] = {};
};

class HostBackend final : public Backend {
 public:
  void elementwise(Op op, DType loop, const ElementwisePlan& plan, const StreamPtr&) override {
    const ConvertingLoop converting(op, loop, plan);
    if (converting.converts())
      run_rows(plan, operands_of(plan), converting);
    else
      run_rows(plan, operands_of(plan), elementwise_loop(op, loop));
  }

  void cast(const ElementwisePlan& plan, const StreamPtr&) override {
    if (fill(plan) || copy_turned(plan)) return;
    run_rows(plan, operands_of(plan), cast_loop(plan.dtypes[1], plan.dtypes[0]));
  }

  void reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr&) override {
    reduction_loop(reduction, plan.source_dtype, loop)(plan);
  }

  void scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr&) override {
    scan_loop_of(scan, plan.source_dtype, loop)(plan);
  }

  void arange(DType dtype, void* data, int64_t length, const Scalar& start, const Scalar& step,
              const StreamPtr&) override {
    visit_dtype(dtype, [&]<class T>() {
      using C = compute_t<T>;
      auto first = gpuarray::cast<C>(start.as<T>());
      auto delta = gpuarray::cast<C>(step.as<T>());
      for (int64_t i = 0; i < length; ++i)
        static_cast<T*>(data)[i] =
            gpuarray::cast<T>(math::add(first, math::multiply(gpuarray::cast<C>(i), delta)));
    });
  }

  void expression(Expression& expression, ExpressionPlan& plan, const StreamPtr&) override {
    host::run_expression(expression, plan);
  }

  void join(const JoinPlan& plan, const StreamPtr&) override { host::join(plan); }

  void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr&) override {
    host::matmul(dtype, plan);
  }

  void gather(const IndexedPlan& plan, const StreamPtr&) override { host::gather(plan); }
  void scatter(const IndexedPlan& plan, const StreamPtr&) override { host::scatter(plan); }
  void combine(Op op, const IndexedPlan& plan, const StreamPtr&) override {
    host::combine(elementwise_loop(op, plan.dtype), plan);
  }
  void count_true(const bool* mask, int64_t size, const MaskFlags& found,
                  const StreamPtr&) override {
    host::count_true(mask, size, found);
  }
  void select(const SelectPlan& plan, const StreamPtr&) override { host::select(plan, false); }
  void spread(const SelectPlan& plan, const StreamPtr&) override { host::select(plan, true); }
  void nonzero(const NonzeroPlan& plan, const StreamPtr&) override { host::nonzero(plan); }
  void sort(const SortPlan& plan, const StreamPtr&) override { host::sort(plan); }
  void argsort(const SortPlan& plan, const StreamPtr&) override { host::argsort(plan); }
  void count_runs(const RunsPlan& plan, const StreamPtr&) override { host::count_runs(plan); }
  void search(const SearchPlan& plan, const StreamPtr&) override { host::search(plan); }
  void histogram(const HistogramPlan& plan, const StreamPtr&) override { host::histogram(plan); }
};

}  // namespace
}  // namespace host

Backend& host_backend() {
  static host::HostBackend backend;
  return backend;
}

}  // namespace gpuarray
