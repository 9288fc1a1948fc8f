// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "backend/expression.hpp"
#include "core/device.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Compiles a source that was made of the expression, and returns its function kSymbol as a
// CUfunction of the device, which lives for the process. Throws CompileError if the source does not
// compile, and DeviceError if there is no compiler.
void* compile_for_cuda(Expression& expression, Device device, const std::string& source);

// Returns the kernel that the expression keeps under the key, which a job may have compiled; null
// if there is none.
void* kernel_if_compiled(Expression& expression, const std::string& key, Device device);
// Has the source that text() returns compiled in the background for the key, once. Returns the flag
// of the kernel; null if too many compilations are pending.
ReadyFlag request_kernel(const std::shared_ptr<Expression>& expression, const std::string& key,
                         Device device, std::function<std::string()> text);

// Runs the expression as cuda_expression() does if its kernel is compiled, else returns false.
bool cuda_expression_if_compiled(Expression& expression, ExpressionPlan& plan,
                                 const StreamPtr& stream);
// Has the kernel of such a run compiled as request_kernel() does.
ReadyFlag request_cuda_expression(const std::shared_ptr<Expression>& expression,
                                  ExpressionPlan& plan, Device device);

}  // namespace gpuarray
