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

void CusolverLater::find_later(const FunctionFinder& find) {
  auto look_up = [&](const char* name, auto& function) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(find.find_optional(name));
  };
  look_up("cusolverDnXsyevBatched_bufferSize", XsyevBatched_bufferSize);
  look_up("cusolverDnXsyevBatched", XsyevBatched);
  look_up("cusolverDnXgeev_bufferSize", Xgeev_bufferSize);
  look_up("cusolverDnXgeev", Xgeev);
}

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
