// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <regex>
#include <string>

// From a C++ type of kernels/dtypes.def to its identifier, "" for another text.
inline std::string dtype_of(const std::string& type) {
#define GPUARRAY_NAME(text) #text
#define GPUARRAY_DTYPE(name, type_, ...) \
  if (type == GPUARRAY_NAME(type_)) return #name;
#include "kernels/dtypes.def"
#undef GPUARRAY_DTYPE
#undef GPUARRAY_NAME
  return "";
}

// The kernel of kernels/aot that does what this text of src/backend/kernel_source.cpp does, without
// "gpuarray_"; "" where there is none for every such text.
inline std::string built_name(const std::string& source) {
  static const std::regex body(
      "\\{ (?:(\\w+)_kernel<(.*?)>\\((?:params|static_cast.*)\\)|(join)_kernel\\(params\\)); \\}");
  static const std::regex functor("(\\w+)_functor<(.*)>, (.*)");
  static const std::regex reducer("(\\w+)_reducer<(.*?)(?:, (.*))?>");
  static const std::regex pair("(.*), (.*)");
  std::smatch kernel, part;
  if (!std::regex_search(source, kernel, body)) return "";
  if (kernel[3].matched) return "join";
  const std::string kind = kernel[1], types = kernel[2];
  if (kind == "cast" && std::regex_match(types, part, pair))
    return "cast_" + dtype_of(part[2]) + "_" + dtype_of(part[1]);
  if (kind == "reduce" && std::regex_match(types, part, reducer))
    return "reduce_" + part[1].str() + "_" + dtype_of(part[2]) +
           (part[3].matched ? "_" + dtype_of(part[3]) : "");
  if (kind == "arange" || kind == "matmul") return kind + "_" + dtype_of(types);
  if ((kind == "unary" || kind == "binary" || kind == "ternary") &&
      std::regex_match(types, part, functor))
    return part[1].str() + "_" + dtype_of(part[3]);
  return "";
}
