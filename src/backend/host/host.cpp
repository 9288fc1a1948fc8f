// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host/host.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "backend/host/reduce.hpp"
#include "backend/host/row_runner.hpp"
#include "backend/host/transpose.hpp"
#include "backend/steps.hpp"
#include "backend/visit.hpp"
#include "core/layout.hpp"
#include "kernels/element/cast.cuh"
#include "kernels/element/math.cuh"

namespace gpuarray {
namespace host {
namespace {

// Rows of fewer elements are copied column by column, since a row costs more than its elements.
constexpr int64_t kShortRow = 10;

// Makes the longest axis the last one where rows are short.
void lengthen_rows(ElementwisePlan& plan) {
  const int last = plan.shape.size() - 1;
  if (last < 1 || plan.shape[last] >= kShortRow) return;
  const auto longest = std::max_element(plan.shape.begin(), plan.shape.end()) - plan.shape.begin();
  std::swap(plan.shape[static_cast<int>(longest)], plan.shape[last]);
  for (Strides& strides : plan.all_strides())
    std::swap(strides[static_cast<int>(longest)], strides[last]);
}

class HostBackend final : public Backend {
 public:
  void elementwise(std::optional<Op> op, DType loop, const ElementwisePlan& plan,
                   const StreamPtr&) override {
    if (!op && (fill(plan) || copy_turned(plan))) return;
    run_rows(row_of(op, loop, plan), plan);
  }

  bool steps(const Steps& steps, const StreamPtr& stream) override {
    if (steps.steps.size() > 1 || steps.steps[0].target < 0) {
      host::run_steps(steps);
      return true;
    }
    const Step& step = steps.steps[0];
    const auto run = [&](ElementwisePlan& each) {
      collapse(each.shape, each.all_strides());
      if (steps.map_of(0) != nullptr) lengthen_rows(each);
      elementwise(step.op, step.loop, each, stream);
    };
    if (steps.map_of(0) == nullptr) {
      ElementwisePlan plan;
      steps.fill_plan(plan, 0, nullptr);
      run(plan);
      return true;
    }
    for (int k = 0; k < step.operand_count; ++k) {
      ElementwisePlan plan;
      steps.fill_plan(plan, 0, k, nullptr);
      const IndexMap& map = *steps.map_of(0, k);
      if (plan.shape.back() >= kShortRow && plan.strides[0].back() == 1 &&
          plan.strides[1].back() == 1 && step.operand_count == 1)
        copy_mapped(plan, map);
      else
        for_each_box(plan, map, run);
    }
    return true;
  }
  ReadyFlag prepare(const Steps&, Device) override {
    static const ReadyFlag ready = std::make_shared<std::atomic<bool>>(true);
    return ready;
  }
  StepsCost cost_of(const Steps& steps) const override { return host::cost_of(steps); }

  void reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr&) override {
    host::reduce(reduction, loop, plan);
  }

  void scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr&) override {
    host::scan(scan, loop, plan);
  }

  void arange(DType dtype, void* data, int64_t length, const Scalar& start, const Scalar& step,
              const Scalar* last, const StreamPtr&) override {
    visit_dtype(dtype, [&]<class T>() {
      using C = compute_t<T>;
      auto first = gpuarray::cast<C>(start.as<T>());
      auto delta = gpuarray::cast<C>(step.as<T>());
      for (int64_t i = 0; i < length; ++i)
        static_cast<T*>(data)[i] =
            gpuarray::cast<T>(math::add(first, math::multiply(gpuarray::cast<C>(i), delta)));
      if (last != nullptr) static_cast<T*>(data)[length - 1] = last->as<T>();
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
    host::combine(op, plan);
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
  void draw(const DistributionPlan& plan, const StreamPtr&) override { host::draw(plan); }
};

constinit HostBackend backend;

}  // namespace
}  // namespace host

Backend& host_backend() { return host::backend; }

}  // namespace gpuarray
