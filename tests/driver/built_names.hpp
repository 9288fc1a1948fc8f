// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>
#include <string_view>

#include "kernels/dtype_classes.def"
#include "scanner.hpp"

// Returns the identifier of a C++ type of kernels/dtypes.def, or "" for another text.
inline std::string dtype_of(std::string_view type) {
#define GPUARRAY_NAME(text) #text
#define GPUARRAY_DTYPE(name, type_, ...) \
  if (type == GPUARRAY_NAME(type_)) return #name;
#include "kernels/dtypes.def"
#undef GPUARRAY_DTYPE
#undef GPUARRAY_NAME
  return "";
}

// Returns the bytes of a word's type as text: "4" for uint32_t, "16" for uint4.
inline std::string word_bytes(std::string_view type) {
  if (type == "uint4") return "16";
  if (type == "uint8_t") return "1";
  if (type == "uint16_t") return "2";
  return type == "uint32_t" ? "4" : "8";
}

// Returns the name of a kernel that combines at indices, or "" if it is not built ahead.
inline std::string combine_name(const std::string& walk, std::string_view function,
                                std::string_view type) {
  const std::string dtype = dtype_of(type);
  const bool built =
      (function == "add" || function == "maximum" || function == "minimum") &&
      (dtype == "int32" || dtype == "int64" || dtype.starts_with("float") || dtype == "bfloat16");
  return built ? "at_" + walk + std::string(function) + "_" + dtype : "";
}

// Returns the name of a kernel of indexing with the template arguments `types`, which are such as
// "Gather<uint32_t>, int64_t" or "Combine<add_functor, float>, int64_t"; "" if it is not built
// ahead.
inline std::string indexed_name(std::string_view kind, std::string_view types) {
  const std::string walk = kind == "indexed_any" ? "any_" : "rows_";
  Scanner type{types};
  std::string_view action, word, function;
  if (!type.skip_past("<", &action)) return "";
  if (action == "Combine") {
    if (!type.skip_past("_functor, ", &function) || !type.skip_past(">, ", &word)) return "";
    return combine_name(walk, function, word);
  }
  if (!type.skip_past(">, ", &word)) return "";
  if (action == "Scatter") return "scatter_" + walk + word_bytes(word);
  return "gather_" + walk + word_bytes(word) + "_" + dtype_of(type.left);
}

// Returns the name of a kernel with the template arguments `types`, as "float, false, true".
inline std::string dot_name(std::string_view types) {
  Scanner type{types};
  std::string_view dtype, conjugates;
  if (!type.skip_past(", ", &dtype) || !type.skip_past(", ", &conjugates)) return "";
  return (conjugates == "true" ? "vdot_" : "dot_") +
         std::string(type.left == "true" ? "" : "apart_") + dtype_of(dtype);
}

// Returns the name of a reduction of one dtype's elements in another, or "" if it is not built
// ahead.
inline std::string converting_name(const std::string& name, const std::string& source,
                                   const std::string& dtype) {
  bool built = false;
#define GPUARRAY_WIDENED(from, S, to, T) \
  built |= (name == "sum" || name == "prod") && source == #from && dtype == #to;
#define GPUARRAY_AVERAGED(from, S) \
  built |= (name == "mean" || name == "var") && source == #from && dtype == "float64";
  GPUARRAY_FOR_WIDENED(GPUARRAY_WIDENED)
  GPUARRAY_FOR_AVERAGED(GPUARRAY_AVERAGED)
#undef GPUARRAY_AVERAGED
#undef GPUARRAY_WIDENED
  return built ? "reduce_" + name + "_" + source + "_" + dtype : "";
}

// Returns the name, without "gpuarray_", of the kernel of kernels/aot that does the same as this
// text, which is made as in src/backend/kernel_source.cpp; "" if there is none.
inline std::string built_name(std::string_view source) {
  Scanner text{source};
  std::string_view kind, types, arguments, name;
  // "{ <kind>_kernel<<types>>(<arguments>); }"
  if (!text.skip_past(") { ") || !text.skip_past("_kernel", &kind)) return "";
  for (const char* plain :
       {"join", "copy_rows", "resolve", "drop_few", "count_tiles", "nonzero", "bucket_bounds",
        "bucket_long", "combine_sample", "combine_count_groups", "combine_count_parts"})
    if (kind == plain) return text.skip("(params); }") ? plain : "";
  if (!text.skip("<") || !text.skip_past(">(", &types) || !text.skip_past("); }", &arguments))
    return "";
  if (kind == "arange") return "arange_" + dtype_of(types);
  if (kind == "dot") return dot_name(types);
  if (arguments != "params") return "";
  if (kind == "combine_begins") return "combine_begins_" + std::string(types);
  if (kind == "triangle") return "triangle_" + word_bytes(types);
  if (kind == "bucket_pack" || kind == "bucket_write" || kind == "combine_to_groups" ||
      kind == "combine_to_parts" || kind == "claim" || kind == "drop" || kind == "select" ||
      kind == "spread")
    return std::string(kind) + "_" + word_bytes(types);
  if (kind == "indexed_rows" || kind == "indexed_any") return indexed_name(kind, types);
  Scanner type{types};
  std::string_view first;
  if (kind == "combine_rows" && type.skip_past("_functor, ", &first))
    return combine_name("rows_", first, type.left);
  if (kind == "matmul" && type.skip_past(", ", &first))
    return (type.left == "1" ? "matmul_small_" : "matmul_") + dtype_of(first);
  if (kind == "cast" && type.skip_past(", ", &first))
    return "cast_" + dtype_of(type.left) + "_" + dtype_of(first);
  if (kind == "reduce" && type.skip_past("_reducer<", &name)) {
    type.left.remove_suffix(1);
    if (!type.skip_past(", ", &first))
      return "reduce_" + std::string(name) + "_" + dtype_of(type.left);
    return converting_name(std::string(name), dtype_of(first), dtype_of(type.left));
  }
  if ((kind == "unary" || kind == "binary" || kind == "ternary") &&
      type.skip_past("_functor<", &name) && type.skip_past(">, "))
    return std::string(name) + "_" + dtype_of(type.left);
  return "";
}
