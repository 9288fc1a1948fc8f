// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/expression.hpp"

// Users' reductions and scans: each element is made of those of broadcast arrays by one text, and
// they are combined by another, on the engines of the built-in ones.
namespace gpuarray {

enum class FoldKind : uint8_t { reduction, inclusive_scan, exclusive_scan };

struct FoldText {
  FoldKind kind;
  std::string combine;   // an expression of a and b
  std::string finish;    // statements that make `output` of a; "" if it is a
  std::string identity;  // "" if there is none
  DType type;            // that elements are mapped to and combined in
  std::string output;
  DType result;  // the output's in the text
};

// Thread-safe. The expression's operation is the map; its arrays are read.
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

// What the map reads: the size, then all parameters in order, elements as raw arrays over the
// axes that they share.
struct FoldOperands {
  Constants constants;
  std::string arrays;  // of each array but pointers: its axes, and whether it is contiguous
  std::vector<BufferUse> uses;
};

// A source's strides count mapped elements, in C order. `result` is the dtype in memory.
void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ReducePlan& plan,
              const StreamPtr& stream);
void run_fold(Fold& fold, DType result, const FoldOperands& operands, const ScanPlan& plan,
              const StreamPtr& stream);

namespace source {

// The text of the kernel, or for the host compiler, named kSymbol.
std::string fold(const Fold& fold, DType result, const std::string& arrays, bool is_cuda);

}  // namespace source
}  // namespace gpuarray
