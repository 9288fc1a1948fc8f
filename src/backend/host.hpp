// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "backend/backend.hpp"

namespace gpuarray {

Backend& host_backend();

namespace host {

void run_expression(Expression& expression, const ExpressionPlan& plan);
void matmul(DType dtype, const MatmulPlan& plan);

}  // namespace host
}  // namespace gpuarray
