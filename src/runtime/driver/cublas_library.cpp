// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cublas_library.hpp"

namespace gpuarray {
namespace {

std::string ask_version(const Cublas& table, const FunctionFinder&, LibraryVersion& version) {
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  for (int k = 0; k < 3; ++k)
    if (table.cublasGetProperty(k, parts[k]) != kCublasSuccess) return "it tells no version";
  return "";
}

}  // namespace

LoadedLibrary<Cublas>& cublas_library = *new LoadedLibrary<Cublas>({.title = "cuBLAS",
                                                                    .role = "library of products",
                                                                    .stem = "libcublas",
                                                                    .major_of_13 = 13,
                                                                    .major_of_12 = 12,
                                                                    .folder_of_12 = "cublas"},
                                                                   ask_version);

}  // namespace gpuarray
