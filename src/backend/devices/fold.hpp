// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
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

// A fold with the kernels that were compiled for it. The operation of its expression is the map,
// whose arrays are only read. Thread-safe.
class Fold {
 public:
  Fold(ExpressionText map, std::vector<ExpressionParameter> parameters, FoldText text)
      : text_(std::move(text)), expression_(std::move(map), std::move(parameters)) {}

  const FoldText& text() const { return text_; }
  Expression& expression() { return expression_; }
  const Expression& expression() const { return expression_; }

 private:
  FoldText text_;
  Expression expression_;
};

// What the map of one run reads. The constants are the size and then all parameters in order, where
// arrays of elements are raw arrays over the axes of the run.
struct FoldOperands {
  Constants constants;
  std::string arrays;           // two bytes for each raw array: ndim and is_contiguous
  std::vector<BufferUse> uses;  // the memory that the map reads and the run writes
};

// Compiles the fold if need be, opens the memory of `operands` and queues the fold on `stream`; the
// cpu device has run it on return. Strides of the plan's source count mapped elements, which are in
// C order; `result` is the dtype of the target's memory. Throws CompileError, and DeviceError if
// there is no compiler.
void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ReducePlan& plan,
              const StreamPtr& stream);
void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ScanPlan& plan,
              const StreamPtr& stream);

namespace source {

// Returns the source of the kernel for CUDA, or of the function for the host's compiler; either is
// named kSymbol. `arrays` is that of FoldOperands; a reduction for CUDA that `is_flat` serves plans
// of no more than one kept axis and one reduced one.
std::string fold(const Fold& fold, DType result, const std::string& arrays, bool is_cuda,
                 bool is_flat);

}  // namespace source
}  // namespace gpuarray
