// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cub.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/code/embedded_module.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/cuda_library.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/queue_noted.hpp"

namespace gpuarray {
namespace {

constexpr int kOldestDriver = 13000;  // CUDA 13.0, the version of the CUDA runtime in _cub

struct Found {
  cub::SortFunction* sort = nullptr;
  std::string reason = {};
};

// Returns the library's file: what the environment names, or the one beside the file of this code.
std::string library_path() {
  if (std::string named = text_variable("GPUARRAY_LIBCUB"); !named.empty()) return named;
  const std::string here = library_file(reinterpret_cast<const void*>(&radix_sort));
  return here.substr(0, here.rfind('/') + 1) + "_cub.so";
}

Found load() {
  if (const int version = driver_state().version; version < kOldestDriver)
    return {.reason = "the driver supports CUDA " + version_text(version) + ", " +
                      version_text(kOldestDriver) + " or newer is needed"};
  void* library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = dlerror();
    return {.reason = error == nullptr ? "it could not be loaded" : error};
  }
  Found loaded;
  FunctionFinder find(library);
  find(cub::kSortSymbol, loaded.sort);
  if (loaded.sort == nullptr) loaded.reason = library_path() + " does not hold it";
  return loaded;
}

// Returns the library, which is never unloaded, because its kernels may be queued.
const Found& found() {
  static constinit MadeOnce<Found> state;
  return state.get(load);
}

CUresult call(cub::Sort& sort) {
  return call_driver([&] { return static_cast<CUresult>(found().sort(&sort)); });
}

// cudaErrorInvalidDeviceFunction, by which the CUDA runtime too says that there is no code.
constexpr auto kNoFunction = static_cast<CUresult>(98);

void check(CUresult status, const Stream& stream) {
  if (lacks_device_code(status) || status == kNoFunction)
    throw_lacks_device_code(stream.device().index);
  check_driver(status, "cub::DeviceRadixSort", __FILE__, __LINE__);
}

}  // namespace

bool has_radix_sort() { return found().sort != nullptr; }

void radix_sort(cub::Sort& sort, const StreamPtr& stream, const LaunchLabel& label) {
  if (!has_radix_sort()) throw DeviceError("CUB's radix sort is not available: " + found().reason);
  DeviceGuard on(stream->device());
  sort.stream = stream_handle(stream->handle());
  sort.temporary = nullptr;
  check(call(sort), *stream);
  // At least one byte, because an empty buffer is null, which would only ask for the size again.
  const auto bytes = static_cast<int64_t>(std::max<size_t>(sort.temporary_bytes, 1));
  const BufferPtr temporary = Buffer::allocate(bytes, stream);
  sort.temporary = temporary->data();
  const CUresult status =
      queue_noted(*stream, [&] { return note_launch(label, *stream); }, [&] { return call(sort); });
  check(status, *stream);
}

}  // namespace gpuarray
