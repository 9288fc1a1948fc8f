// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/host.hpp"

#include <cassert>

#include "backend/host_loops.hpp"
#include "backend/host_reduce.hpp"
#include "backend/visit.hpp"
#include "kernels/cast.cuh"
#include "kernels/math.cuh"

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
  return table.loops[source != loop][static_cast<int>(reduction)][static_cast<int>(source)];
}

struct PlanOperands {
  char* data[kMaxOperands];
  int64_t steps[kMaxOperands];  // along the innermost axis, elements
  int itemsizes[kMaxOperands];
};

// Runs `loop` over every row of the plan, walking the outer axes like an odometer.
void run_rows(const ElementwisePlan& plan, PlanOperands operands, RowLoop loop) {
  int inner = plan.shape.size() - 1;
  int64_t count = inner < 0 ? 1 : plan.shape[inner];
  Dims index(plan.shape.size(), 0);
  for (int64_t done = 0; done < plan.size; done += count) {
    loop(operands.data, operands.steps, count);
    for (int axis = inner - 1; axis >= 0; --axis) {
      bool wrapped = ++index[axis] == plan.shape[axis];
      int64_t steps = wrapped ? 1 - plan.shape[axis] : 1;
      for (int k = 0; k < plan.operand_count; ++k)
        operands.data[k] += steps * plan.strides[k][axis] * operands.itemsizes[k];
      if (!wrapped) break;
      index[axis] = 0;
    }
  }
}

PlanOperands operands_of(const ElementwisePlan& plan, const int* itemsizes) {
  PlanOperands operands;
  int inner = plan.shape.size() - 1;
  for (int k = 0; k < plan.operand_count; ++k) {
    bool scalar = plan.data[k] == nullptr;
    operands.data[k] =
        scalar ? reinterpret_cast<char*>(const_cast<unsigned char*>(plan.scalars[k].bytes))
               : static_cast<char*>(plan.data[k]);
    operands.steps[k] = inner < 0 ? 0 : plan.strides[k][inner];
    operands.itemsizes[k] = itemsizes[k];
  }
  return operands;
}

class HostBackend final : public Backend {
 public:
  void elementwise(Op op, DType loop, const ElementwisePlan& plan, const StreamPtr&) override {
    int size = itemsize(loop);
    int first = info(op).rule == OpRule::SELECT ? itemsize(DType::bool_) : size;
    int itemsizes[kMaxOperands] = {itemsize(resolve(op, loop).result), first, size, size};
    run_rows(plan, operands_of(plan, itemsizes), elementwise_loop(op, loop));
  }

  void cast(DType from, DType to, const ElementwisePlan& plan, const StreamPtr&) override {
    int itemsizes[kMaxOperands] = {itemsize(to), itemsize(from)};
    run_rows(plan, operands_of(plan, itemsizes), cast_loop(from, to));
  }

  void reduce(Reduction reduction, DType loop, const ReducePlan& plan, const StreamPtr&) override {
    reduction_loop(reduction, plan.source_dtype, loop)(plan);
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

  void matmul(DType dtype, const MatmulPlan& plan, const StreamPtr&) override {
    host::matmul(dtype, plan);
  }
};

}  // namespace
}  // namespace host

Backend& host_backend() {
  static host::HostBackend backend;
  return backend;
}

}  // namespace gpuarray
