// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/nvjitlink.hpp"

namespace gpuarray {
namespace {

std::string ask_version(const NvJitLink&, const FunctionFinder& find, LibraryVersion& version) {
  using Ask = NvJitLinkResult (*)(unsigned*, unsigned*);
  const auto ask = reinterpret_cast<Ask>(find.find_optional("nvJitLinkVersion"));
  unsigned major = 0, minor = 0;
  if (ask != nullptr && ask(&major, &minor) == kLinkSuccess)
    version = {.major = static_cast<int>(major), .minor = static_cast<int>(minor)};
  return "";
}

}  // namespace

LoadedLibrary<NvJitLink>& nvjitlink_library =
    *new LoadedLibrary<NvJitLink>({.title = "nvJitLink",
                                   .role = "linker",
                                   .stem = "libnvJitLink",
                                   .major_of_13 = 13,
                                   .major_of_12 = 12,
                                   .folder_of_12 = "nvjitlink"},
                                  ask_version);

}  // namespace gpuarray
