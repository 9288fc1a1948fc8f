// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/nvjitlink.hpp"

#include "core/error.hpp"
#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {
namespace {

constexpr CudaLibrary kLibrary{.title = "nvJitLink",
                               .stem = "libnvJitLink",
                               .variable = "GPUARRAY_LIBNVJITLINK",
                               .folder_of_12 = "nvjitlink",
                               .wheel = "nvidia-nvjitlink"};

struct Found {
  NvJitLink table = {};
  int version = 0;
  std::string path;
  std::string reason;
};

// "" or why not.
std::string fill_table(void* library, Found& found) {
#define GPUARRAY_NVJITLINK_FIND(name, ...)         \
  find_function(library, #name, found.table.name); \
  if (found.table.name == nullptr) return "it has no " #name;
  GPUARRAY_NVJITLINK_FUNCTIONS(GPUARRAY_NVJITLINK_FIND)
#undef GPUARRAY_NVJITLINK_FIND
  NvJitLinkResult (*version)(unsigned*, unsigned*) = nullptr;  // since CUDA 12.4
  find_function(library, "nvJitLinkVersion", version);
  unsigned major = 0, minor = 0;
  if (version != nullptr && version(&major, &minor) == kLinkSuccess)
    found.version = static_cast<int>(1000 * major + 10 * minor);
  found.path = library_file(reinterpret_cast<void*>(found.table.nvJitLinkCreate));
  return "";
}

const Found& found() {
  // Never destroyed, as what it links.
  static const Found& state = *[] {
    auto* loaded = new Found;
    loaded->reason =
        load_cuda_library(kLibrary, [&](void* library) { return fill_table(library, *loaded); });
    return loaded;
  }();
  return state;
}

}  // namespace

const std::string& linker_absent_reason() { return found().reason; }
const std::string& linker_path() { return found().path; }
int linker_version() { return found().version; }

const NvJitLink& nvjitlink() {
  if (!found().reason.empty())
    throw DeviceError("no linker: " + found().reason + "; pip install " + kLibrary.wheel);
  return found().table;
}

}  // namespace gpuarray
