// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "backend/expression.hpp"

// What the source of an expression includes: no more than it uses, because the compiler takes
// longer to read headers than to compile most expressions.
namespace gpuarray::source {

// Returns what makes the names known that the texts of an expression use, which consist of
// `declarations` besides.
std::string names_for(const Expression& expression, const std::string& declarations);

}  // namespace gpuarray::source
