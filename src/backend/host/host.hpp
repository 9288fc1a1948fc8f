// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"
#include "backend/host/loops.hpp"

namespace gpuarray {

// The backend of the cpu device; lives for the process.
Backend& host_backend();

// The function kSymbol of a source that was made of the text, for the host; lives for the process.
// CompileError for a text that does not compile, DeviceError without a compiler.
void* compile_for_host(const ExpressionText& text, const std::string& source);

namespace host {

void run_expression(Expression& expression, const ExpressionPlan& plan);
void matmul(DType dtype, const MatmulPlan& plan);
void gather(const IndexedPlan& plan);
void scatter(const IndexedPlan& plan);
void combine(RowLoop loop, const IndexedPlan& plan);  // of three operands of the plan's dtype
void count_true(const bool* mask, int64_t size, const MaskFlags& found);
void select(const SelectPlan& plan, bool spreads);
void nonzero(const NonzeroPlan& plan);

// A library's product for the large ones of float32, float64 and complex dtypes, not scaled; for
// `py` to set.
void set_matmul_library(void (*multiply)(DType dtype, const MatmulPlan& plan));

}  // namespace host
}  // namespace gpuarray
