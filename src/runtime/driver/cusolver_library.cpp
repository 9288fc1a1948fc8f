// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cusolver_library.hpp"

#include "runtime/driver/cublas_library.hpp"

namespace gpuarray {
namespace {

std::string ask_version(const Cusolver& table, const FunctionFinder&, LibraryVersion& version) {
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  for (int k = 0; k < 3; ++k)
    if (table.cusolverGetProperty(k, parts[k]) != kCusolverSuccess) return "it tells no version";
  return "";
}

}  // namespace

LoadedLibrary<Cusolver>& cusolver_library =
    *new LoadedLibrary<Cusolver>({.title = "cuSOLVER",
                                  .role = "library of matrix factorizations",
                                  .stem = "libcusolver",
                                  .major_of_13 = 12,
                                  .major_of_12 = 11,
                                  .folder_of_12 = "cusolver"},
                                 ask_version);

const Cusolver& cusolver() {
  cublas();
  return cusolver_library.functions();
}

}  // namespace gpuarray
