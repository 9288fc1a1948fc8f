// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/nvrtc.hpp"

#include "core/error.hpp"
#include "runtime/driver/cuda_library.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestCompiler = 12000;

struct Found {
  Nvrtc table = {};
  int version = 0;
  std::string path;
  std::string reason;
};

constexpr CudaLibrary kLibrary{.title = "NVRTC",
                               .stem = "libnvrtc",
                               .variable = "GPUARRAY_LIBNVRTC",
                               .folder_of_12 = "cuda_nvrtc",
                               .wheel = "nvidia-cuda-nvrtc"};

// "" or why not.
std::string fill_table(void* library, Found& found) {
#define GPUARRAY_NVRTC_FIND(name, result, ...)     \
  find_function(library, #name, found.table.name); \
  if (found.table.name == nullptr) return "it has no " #name;
  GPUARRAY_NVRTC_FUNCTIONS(GPUARRAY_NVRTC_FIND)
#undef GPUARRAY_NVRTC_FIND
  int major = 0, minor = 0;
  if (found.table.nvrtcVersion(&major, &minor) != kNvrtcSuccess) return "it tells no version";
  found.version = 1000 * major + 10 * minor;
  if (found.version < kOldestCompiler) return "it is older than CUDA 12.0";
  found.path = library_file(reinterpret_cast<void*>(found.table.nvrtcVersion));
  return "";
}

const Found& found() {
  // Never destroyed: kernels are compiled until the process ends.
  static const Found& state = *[] {
    auto* loaded = new Found;
    loaded->reason =
        load_cuda_library(kLibrary, [&](void* library) { return fill_table(library, *loaded); });
    if (!loaded->reason.empty()) loaded->version = 0;
    return loaded;
  }();
  return state;
}

}  // namespace

bool compiler_available() { return found().reason.empty(); }
const std::string& compiler_absent_reason() { return found().reason; }
const std::string& compiler_path() { return found().path; }
int compiler_version() { return found().version; }

int64_t compiler_bytes() { return file_bytes(compiler_path()); }

const Nvrtc& nvrtc() {
  if (!compiler_available())
    throw DeviceError("no run-time compiler: " + compiler_absent_reason() + "; pip install " +
                      kLibrary.wheel);
  return found().table;
}

}  // namespace gpuarray
