// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression_source.hpp"
#include "backend/host/host.hpp"
#include "backend/host/walk.hpp"
#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "kernels/expression/expression_params.hpp"
#include "runtime/code/host_compiler.hpp"

namespace gpuarray {

void* compile_for_host(const ExpressionText& text, const std::string& source) {
  if (text.is_cuda_only)
    throw DeviceError(text.name + ": its device functions are for CUDA devices, got arrays on cpu");
  return compile_host_function(source, source::kSymbol, text.host_options);
}

namespace host {

void run_expression(Expression& expression, const ExpressionPlan& plan) {
  using RowFunction = void (*)(const ExpressionRow&, const void* constants);
  const auto function = reinterpret_cast<RowFunction>(expression.compiled("cpu" + plan.raw, [&] {
    return compile_for_host(expression.text(), source::host(expression, plan.raw));
  }));
  const int inner = plan.shape.size() - 1;
  char* data[kMostParameters];
  int64_t steps[kMostParameters];
  for (int k = 0; k < plan.operand_count; ++k) {
    data[k] = static_cast<char*>(plan.data[k]);
    steps[k] = inner < 0 ? 0 : plan.strides[k][inner];
  }
  ExpressionRow row{data, steps, inner < 0 ? 1 : plan.shape[inner], 0, plan.fresh};
  Odometer walk(plan.shape, inner);
  for (; row.first < plan.size; row.first += row.count) {
    function(row, plan.constants.data());
    walk.next([&](int axis, int64_t moved) {
      for (int k = 0; k < plan.operand_count; ++k)
        data[k] += moved * plan.strides[k][axis] * itemsize(plan.dtypes[k]);
    });
  }
}

}  // namespace host
}  // namespace gpuarray
