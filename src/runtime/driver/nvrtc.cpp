// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/nvrtc.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestCompiler = 12000;

std::string ask_version(const Nvrtc& table, const FunctionFinder& find, LibraryVersion& version) {
  if (table.nvrtcVersion(&version.major, &version.minor) != kNvrtcSuccess)
    return "it tells no version";
  nvrtc_heap.find_optional(find);
  return version.cuda_number() < kOldestCompiler ? "it is older than CUDA 12.0" : "";
}

}  // namespace

constinit NvrtcHeap nvrtc_heap = {};

LoadedLibrary<Nvrtc>& nvrtc_library = *new LoadedLibrary<Nvrtc>({.title = "NVRTC",
                                                                 .role = "run-time compiler",
                                                                 .stem = "libnvrtc",
                                                                 .major_of_13 = 13,
                                                                 .major_of_12 = 12,
                                                                 .folder_of_12 = "cuda_nvrtc"},
                                                                ask_version);

}  // namespace gpuarray
