// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {

// A function that a library has once for each type of element, with a letter of its own: S, D, C
// and Z for float32, float64, complex64 and complex128. A library may lack it.
template <class Function>
class TypedFunction {
 public:
  // `pattern` is the name with % for the letter, and $ for "or" or "un", which begins the names of
  // functions of orthogonal matrices.
  explicit TypedFunction(const char* pattern) : pattern_(pattern) {}

  void find_all(const FunctionFinder& find) {
    for (int k = 0; k < 4; ++k)
      functions_[k] = reinterpret_cast<Function*>(find.find_optional(name(k).c_str()));
  }
  // Returns the function for a dtype of the four. Throws DeviceError if the library lacks it.
  Function* operator()(DType dtype) const {
    const int k = place(dtype);
    if (functions_[k] == nullptr) [[unlikely]]
      throw DeviceError("the library has no " + name(k) + "; " + install_command());
    return functions_[k];
  }
  // Returns the function's name for a dtype of the four.
  std::string name(DType dtype) const { return name(place(dtype)); }

 private:
  static int place(DType dtype) {
    return (dtype == DType::float64 || dtype == DType::complex128 ? 1 : 0) +
           (is_complex(dtype) ? 2 : 0);
  }
  std::string name(int k) const {
    std::string made;
    for (const char* letter = pattern_; *letter != '\0'; ++letter)
      made += *letter == '%'   ? std::string(1, "SDCZ"[k])
              : *letter == '$' ? std::string(k < 2 ? "or" : "un")
                               : std::string(1, *letter);
    return made;
  }

  const char* pattern_;
  Function* functions_[4] = {};
};

// Declares a struct of typed functions from its list of
// FUNCTION(result, member, pattern, types of arguments ...), whose elements are void.
#define GPUARRAY_TYPED_MEMBER(result, name, pattern, ...) \
  TypedFunction<result(__VA_ARGS__)> name{pattern};
#define GPUARRAY_TYPED_FIND(result, name, pattern, ...) name.find_all(find);
#define GPUARRAY_TYPED_TABLE(Table, LIST)                                     \
  struct Table {                                                              \
    LIST(GPUARRAY_TYPED_MEMBER)                                               \
    void find_typed(const FunctionFinder& find) { LIST(GPUARRAY_TYPED_FIND) } \
  };

}  // namespace gpuarray
