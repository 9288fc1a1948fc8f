// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_source.hpp"

namespace gpuarray::source {

std::string cpp_type(DType dtype) { return info(dtype).cpp_type; }

const char* identifier(DType dtype) {
  static const char* const names[] = {
#define GPUARRAY_DTYPE(name, ...) #name,
#include "kernels/dtypes.def"
  };
  return names[static_cast<int>(dtype)];
}

const char* class_of(DType dtype) {
  if (kind(dtype) == 'c') return "complex";
  if (kind(dtype) != 'f') return "integer";
  return itemsize(dtype) <= 2 ? "half" : "float";
}

std::string word_type(int bytes) {
  return bytes == 16 ? "uint4" : "uint" + std::to_string(8 * bytes) + "_t";
}

std::string include(const std::string& header) { return "#include \"kernels/" + header + "\"\n"; }

std::string by_value(const std::string& type) {
  return "const __grid_constant__ " + type + " params";
}

std::string kernel(const std::string& headers, const std::string& parameters,
                   const std::string& body, const std::string& bounds) {
  return headers + "using namespace gpuarray;\nextern \"C\" __global__ void " + bounds +
         " gpuarray_kernel(" + parameters + ") { " + body + "; }\n";
}

}  // namespace gpuarray::source
