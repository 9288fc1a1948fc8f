// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/launch/library.hpp"

#include <utility>

#include "core/error.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/code/module.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/driver/left_behind.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/recording.hpp"

namespace gpuarray {
namespace {

constexpr size_t kLogBytes = 16 << 10;

bool is_text(const std::string& image) {
  return image.find('\0') == std::string::npos || image.find('\0') == image.size() - 1;
}

[[noreturn]] void refuse_image(CUresult status, Device device, const std::string& log) {
  const std::string why = error_text(driver(), status);
  if (status == CUDA_ERROR_INVALID_PTX)
    throw CompileError("the driver cannot compile the PTX for " + device_text(device) + ": " + why +
                       (log.empty() ? "" : "\n" + log));
  throw DeviceError("the image holds no code that " + device_text(device) + " can run: " + why +
                    (log.empty() ? "" : "\n" + log));
}

// Never destroyed.
struct Dropped {
  std::mutex mutex;
  std::vector<std::unique_ptr<Library>> libraries;
};

Dropped& dropped() {
  static Dropped& made = *new Dropped;
  return made;
}

// Unloaded later where the driver refuses it now: during a capture and in host functions.
void drop(Library* library) {
  std::unique_ptr<Library> last(library);
  const bool refused = in_host_function || is_capturing(library->device());
  if (driver_end.load() != nullptr || !refused) return;
  std::lock_guard lock(dropped().mutex);
  dropped().libraries.push_back(std::move(last));
}

void unload_dropped(Device device) {
  if (is_capturing(device)) return;
  std::vector<std::unique_ptr<Library>> found;
  {
    std::lock_guard lock(dropped().mutex);
    std::erase_if(dropped().libraries, [&](std::unique_ptr<Library>& library) {
      if (library->device() != device) return false;
      found.push_back(std::move(library));
      return true;
    });
  }
  for (std::unique_ptr<Library>& library : found) drop(library.release());
}

}  // namespace

LibraryPtr load_library(Device device, const std::string& image) {
  end_left_behind();
  unload_dropped(device);
  return LibraryPtr(new Library(device, image), drop);
}

Library::Library(Device device, const std::string& image) : device_(device) {
  require_device(device);
  if (device.is_cpu()) throw DeviceError("a module runs on a CUDA device, got cpu");
  DeviceGuard on(device);
  CUresult status = CUDA_SUCCESS;
  blocking([&] { status = load(image); });  // PTX takes the driver a while
  if (lacks_device_code(status)) refuse_image(status, device, log_ ? log_->c_str() : "");
  check_driver(status, "cuLibraryLoadData", __FILE__, __LINE__);
}

CUresult Library::load(const std::string& image) {
  unsigned int options = 0;
  if (is_text(image)) {
    log_ = std::make_unique<std::string>(kLogBytes, '\0');
    options = 2;
  }
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log_ ? log_->data() : nullptr, reinterpret_cast<void*>(kLogBytes - 1)};
  CUlibrary loaded = nullptr;
  CUresult status = GPUARRAY_CALL(
      cuLibraryLoadData(&loaded, image.c_str(), names, values, options, nullptr, nullptr, 0));
  if (status != CUDA_SUCCESS) return status;
  // The driver looks for code for this device only now.
  CUmodule module = nullptr;
  status = GPUARRAY_CALL(cuLibraryGetModule(&module, loaded));
  if (status == CUDA_SUCCESS)
    handle_ = loaded;
  else
    GPUARRAY_CALL(cuLibraryUnload(loaded));
  return status;
}

Library::~Library() {
  if (driver_end.load() == nullptr) quietly([&] { unload(); });
  if (is_loaded()) log_.release();  // the driver still knows it
}

void Library::unload() {
  const BlockingLock lock(unloading_);
  if (handle_ == nullptr) return;
  require_unloadable();
  const CUlibrary taken = handle_.exchange(nullptr);
  try {
    DeviceGuard on(device_);
    blocking([&] {
      for (int uses = uses_; uses != 0; uses = uses_) uses_.wait(uses);
      require_unloadable();  // of what was captured meanwhile
      wait_for_work(device_);
    });
    GPUARRAY_CHECK(cuLibraryUnload(taken));
  } catch (...) {
    handle_ = taken;
    throw;
  }
}

void Library::require_unloadable() const {
  if (is_capturing(device_))
    throw CaptureError("unload: a graph is being captured on " + to_string(device_) +
                       ", so that the device cannot be waited for");
  std::lock_guard lock(graph_mutex_);
  if (!graph_use_.expired()) throw ValueError("unload: a captured graph uses the module");
}

std::shared_ptr<const void> Library::graph_use() {
  std::lock_guard lock(graph_mutex_);
  std::shared_ptr<const void> use = graph_use_.lock();
  if (use == nullptr) graph_use_ = use = std::make_shared<const LibraryPtr>(shared_from_this());
  return use;
}

// unload() takes the handle before it looks for uses, so that one of the two sees the other.
Library::Use::Use(const Library* library) : library_(library) {
  if (library_ == nullptr) return;
  ++library_->uses_;
  if (library_->is_loaded()) [[likely]]
    return;
  if (--library_->uses_ == 0) library_->uses_.notify_all();
  throw ValueError("the module was unloaded");
}

Library::Use::~Use() {
  if (library_ != nullptr && --library_->uses_ == 0) library_->uses_.notify_all();
}

CUkernel Library::find_kernel(const std::string& name) const {
  const Use use(this);
  DeviceGuard on(device_);
  CUkernel kernel = nullptr;
  const CUresult status = GPUARRAY_CALL(cuLibraryGetKernel(&kernel, handle_, name.c_str()));
  if (status == CUDA_ERROR_NOT_FOUND) return nullptr;
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return kernel;
}

std::vector<std::string> Library::kernel_names() const {
  const Use use(this);
  if (driver().cuLibraryEnumerateKernels == nullptr || driver().cuKernelGetName == nullptr)
    throw DeviceError("the names of a module's kernels need a driver for CUDA 12.4; this one is " +
                      version_text(driver_state().version));
  DeviceGuard on(device_);
  unsigned int count = 0;
  GPUARRAY_CHECK(cuLibraryGetKernelCount(&count, handle_));
  std::vector<CUkernel> kernels(count);
  GPUARRAY_CHECK(cuLibraryEnumerateKernels(kernels.data(), count, handle_));
  std::vector<std::string> names;
  for (CUkernel kernel : kernels) {
    const char* name = nullptr;
    GPUARRAY_CHECK(cuKernelGetName(&name, kernel));
    names.emplace_back(name);
  }
  return names;
}

Library::Global Library::find_global(const std::string& name) const {
  const Use use(this);
  DeviceGuard on(device_);
  CUdeviceptr address = 0;
  Global found;
  const CUresult status =
      GPUARRAY_CALL(cuLibraryGetGlobal(&address, &found.nbytes, handle_, name.c_str()));
  if (status == CUDA_ERROR_NOT_FOUND) return {};
  check_driver(status, "cuLibraryGetGlobal", __FILE__, __LINE__);
  found.address = address;
  return found;
}

}  // namespace gpuarray
