// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <string_view>

#include "scanner.hpp"

// From a C++ type of kernels/dtypes.def to its identifier, "" for another text.
inline std::string dtype_of(std::string_view type) {
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
inline std::string built_name(std::string_view source) {
  Scanner text{source};
  std::string_view kind, types, arguments, name;
  // "{ <kind>_kernel<<types>>(<arguments>); }"
  if (!text.skip_past(") { ") || !text.skip_past("_kernel", &kind)) return "";
  if (kind == "join") return text.skip("(params); }") ? "join" : "";
  if (!text.skip("<") || !text.skip_past(">(", &types) || !text.skip_past("); }", &arguments))
    return "";
  if (kind == "arange") return "arange_" + dtype_of(types);
  if (arguments != "params") return "";
  Scanner type{types};
  std::string_view first;
  if (kind == "matmul" && type.skip_past(", ", &first))
    return (type.left == "1" ? "matmul_small_" : "matmul_") + dtype_of(first);
  if (kind == "cast" && type.skip_past(", ", &first))
    return "cast_" + dtype_of(type.left) + "_" + dtype_of(first);
  if (kind == "reduce" && type.skip_past("_reducer<", &name)) {
    type.left.remove_suffix(1);
    if (!type.skip_past(", ", &first))
      return "reduce_" + std::string(name) + "_" + dtype_of(type.left);
    return "reduce_" + std::string(name) + "_" + dtype_of(first) + "_" + dtype_of(type.left);
  }
  if ((kind == "unary" || kind == "binary" || kind == "ternary") &&
      type.skip_past("_functor<", &name) && type.skip_past(">, "))
    return std::string(name) + "_" + dtype_of(type.left);
  return "";
}
