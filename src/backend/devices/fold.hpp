// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/expression.hpp"

// Folds: users' reductions and scans. One C++ text maps the elements of broadcast arrays to one
// value, another combines two such values. They run on the engines of the built-in reductions and
// scans, without an array of mapped elements.
namespace gpuarray {

enum class FoldKind : uint8_t { reduction, inclusive_scan, exclusive_scan };

struct FoldText {
  FoldKind kind;
  std::string combine;   // an expression of `a` and `b`
  std::string finish;    // statements that compute the output from `a`; "" if the output is `a`
  std::string identity;  // an expression of the neutral element; "" if there is none
  DType type;            // the dtype of mapped and combined elements, of `a` and `b`
  std::string output;    // the output's name
  DType result;          // the output's dtype in the text
};

// A fold with the kernels that were compiled for it. The operation of its expression returns the
// mapped element, and its arrays are only read. Thread-safe.
class Fold {
 public:
  // The operation of `map` is an expression here. All texts compute elements and scalars in their
  // compute_dtype().
  Fold(ExpressionText map, std::vector<ExpressionParameter> parameters, FoldText text);

  const FoldText& text() const { return text_; }
  Expression& expression() { return expression_; }
  const Expression& expression() const { return expression_; }

 private:
  FoldText text_;
  Expression expression_;
};

// Compiles the fold if need be, opens the memory of `block` and queues the fold on `stream`; the
// cpu device has run it on return. The block has all parameters in order, where arrays of elements
// are raw arrays over the axes of the run. Strides of the plan's source count mapped elements,
// which are in C order; `result` is the dtype of the target's memory. Throws CompileError, and
// DeviceError if there is no compiler.
void run_fold(Fold& fold, DType result, ArgumentBlock& block, const ReducePlan& plan,
              const StreamPtr& stream);
void run_fold(Fold& fold, DType result, ArgumentBlock& block, const ScanPlan& plan,
              const StreamPtr& stream);

namespace source {

// Returns the source of the kernel for CUDA, or of the function for the host's compiler. `layouts`
// are those of its block; a reduction that `is_flat` serves plans of no more than one kept axis and
// one reduced one, on CUDA.
std::string fold(const Fold& fold, DType result, const std::string& layouts, bool is_cuda,
                 bool is_flat);

}  // namespace source
}  // namespace gpuarray
