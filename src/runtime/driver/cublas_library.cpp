// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/cublas_library.hpp"

#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/driver/blocking.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/libraries/cublas.hpp"

namespace gpuarray {
namespace {

constexpr CudaLibrary kLibrary{.title = "cuBLAS",
                               .stem = "libcublas",
                               .variable = "GPUARRAY_LIBCUBLAS",
                               .folder_of_12 = "cublas",
                               .wheel = "nvidia-cublas"};

struct Found {
  Cublas table = {};
  int version = 0;
  std::string path;
  std::string reason;
};

// "" or why not.
std::string fill_table(void* library, Found& found) {
#define GPUARRAY_CUBLAS_FIND(result, name, ...)    \
  find_function(library, #name, found.table.name); \
  if (found.table.name == nullptr) return "it has no " #name;
  GPUARRAY_CUBLAS_FUNCTIONS(GPUARRAY_CUBLAS_FIND)
#undef GPUARRAY_CUBLAS_FIND
  int parts[3] = {};  // major, minor, patch
  for (int k = 0; k < 3; ++k)
    if (found.table.cublasGetProperty(k, &parts[k]) != kCublasSuccess) return "it tells no version";
  found.version = 10000 * parts[0] + 100 * parts[1] + parts[2];
  found.path = library_file(reinterpret_cast<void*>(found.table.cublasGemmEx_64));
  return "";
}

const Found* load() {
  auto loaded = std::make_unique<Found>();
  blocking([&] {
    loaded->reason =
        load_cuda_library(kLibrary, [&](void* library) { return fill_table(library, *loaded); });
  });
  if (!loaded->reason.empty()) loaded->version = 0;
  return loaded.release();
}

// Under a lock of our own: a thread that waits for a static to be made keeps the GIL.
const Found& found() {
  // Never destroyed: its handles are not either.
  static std::atomic<const Found*> state = nullptr;
  static std::mutex mutex;
  if (const Found* made = state.load(std::memory_order_acquire)) [[likely]]
    return *made;
  const BlockingLock lock(mutex);
  if (state.load(std::memory_order_relaxed) == nullptr)
    state.store(load(), std::memory_order_release);
  return *state.load(std::memory_order_relaxed);
}

}  // namespace

bool blas_available() { return found().reason.empty(); }
const std::string& blas_absent_reason() { return found().reason; }
const std::string& blas_path() { return found().path; }
int blas_version() { return found().version; }
const Cublas& cublas() { return found().table; }

}  // namespace gpuarray
