// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/expression.hpp"
#include "core/device.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Compiles a source that was made of the text, and returns its function kSymbol as a CUfunction of
// the device, which lives for the process. Throws CompileError if the source does not compile, and
// DeviceError if there is no compiler.
void* compile_for_cuda(const ExpressionText& text, Device device, const std::string& source);

// Returns the kernel that the expression keeps under the key, or null if it is not compiled yet.
// The first call has the source that text() returns compiled in the background.
void* kernel_if_compiled(const std::shared_ptr<Expression>& expression, const std::string& key,
                         Device device, const std::function<std::string()>& text);

// Runs the expression as cuda_expression() does if its kernel is compiled. Else has it compiled in
// the background, to be loaded by a later call, and returns false.
bool cuda_expression_if_compiled(const std::shared_ptr<Expression>& expression,
                                 ExpressionPlan& plan, const StreamPtr& stream);

}  // namespace gpuarray
