// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include "backend/expression_source.hpp"
#include "backend/host/host.hpp"
#include "backend/host/threads.hpp"
#include "backend/host/walk.hpp"
#include "backend/kernel_source.hpp"
#include "core/error.hpp"
#include "kernels/expression/expression_params.hpp"
#include "runtime/code/host_compiler.hpp"

namespace gpuarray {

void* compile_for_host(const ExpressionText& text, const std::string& source) {
  if (text.is_cuda_only)
    throw DeviceError(text.name + ": its device functions are for CUDA devices, got arrays on cpu");
  std::istringstream words(loops::level().compiler_options);
  std::vector<std::string> options(std::istream_iterator<std::string>(words), {});
  options.insert(options.end(), text.host_options.begin(), text.host_options.end());
  return compile_host_function(text.name, source, source::kSymbol, options);
}

namespace host {
namespace {

using RowFunction = void (*)(const ExpressionRow&, const void* constants);

// Runs elements [begin, end) of the plan, counted in C order.
void run_elements(const ExpressionPlan& plan, RowFunction function, int64_t begin, int64_t end) {
  char* data[kMostParameters];
  int64_t steps[kMostParameters];
  for (int k = 0; k < plan.operand_count; ++k) {
    data[k] = static_cast<char*>(plan.data[k]);
    steps[k] = plan.shape.empty() ? 0 : plan.strides[k].back();
  }
  for_each_row(plan, data, begin, end, [&](char** from, int64_t count, int64_t at) {
    function({from, steps, count, at, plan.fresh}, plan.constants.data());
  });
}

// Whether any stretch of elements may be run alone, on any thread: no text stands around the loop,
// and none writes to an array that other elements write to.
bool has_pieces(const Expression& expression) {
  return expression.has_vectors() && expression.text().loop_prep.empty() &&
         expression.text().after_loop.empty();
}

}  // namespace

void run_expression(Expression& expression, const ExpressionPlan& plan) {
  const auto function =
      reinterpret_cast<RowFunction>(expression.compiled("cpu" + plan.layouts, [&] {
        return compile_for_host(expression.text(), source::host(expression, plan.layouts));
      }));
  int64_t bytes = 1;  // that an element takes, about
  for (int k = 0; k < plan.operand_count; ++k) bytes += itemsize(plan.dtypes[k]);
  const int64_t grain = has_pieces(expression) ? elements_of_piece(plan.size, bytes) : plan.size;
  // Rows that are reduced stay whole.
  const int64_t unit = expression.has_reductions() ? plan.shape.back() : 1;
  parallel_for(
      plan.size / unit, std::max<int64_t>(grain / unit, 1),
      [&](int64_t begin, int64_t end) { run_elements(plan, function, begin * unit, end * unit); });
}

}  // namespace host
}  // namespace gpuarray
