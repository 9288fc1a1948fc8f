// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"
#include "core/device.hpp"

namespace gpuarray {

// The function kSymbol of a source that was made of the text, a CUfunction of the device that lives
// for the process. CompileError for a text that does not compile, DeviceError without a compiler.
void* compile_for_cuda(const ExpressionText& text, Device device, const std::string& source);

}  // namespace gpuarray
