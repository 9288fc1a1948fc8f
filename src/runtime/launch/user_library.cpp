// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/launch/user_library.hpp"

#include <utility>

#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/capture.hpp"
#include "runtime/code/embedded_module.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/deferred_frees.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
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

// Libraries without users that could not be unloaded when they were dropped. Never destroyed.
struct DeferredUnloads {
  HeldAtFork mutex;
  std::vector<std::unique_ptr<UserLibrary>> libraries GUARDED_BY(mutex);
};

DeferredUnloads& deferred_unloads = *new DeferredUnloads;

// Destroys the library; later, if the driver cannot unload now, which is so during a capture and in
// host functions.
void unload_or_defer(UserLibrary* library) {
  std::unique_ptr<UserLibrary> last(library);
  const bool refused = in_host_function || is_capturing(library->device());
  if (driver_end.load() != nullptr || !refused) return;
  const LockGuard lock(deferred_unloads.mutex);
  deferred_unloads.libraries.push_back(std::move(last));
}

void run_deferred_unloads(Device device) {
  if (is_capturing(device)) return;
  std::vector<std::unique_ptr<UserLibrary>> found;
  {
    const LockGuard lock(deferred_unloads.mutex);
    std::erase_if(deferred_unloads.libraries, [&](std::unique_ptr<UserLibrary>& library) {
      if (library->device() != device) return false;
      found.push_back(std::move(library));
      return true;
    });
  }
  for (std::unique_ptr<UserLibrary>& library : found) unload_or_defer(library.release());
}

}  // namespace

UserLibraryPtr load_user_library(Device device, const std::string& image) {
  run_deferred_frees();
  run_deferred_unloads(device);
  return UserLibraryPtr(new UserLibrary(device, image), unload_or_defer);
}

UserLibrary::UserLibrary(Device device, const std::string& image) : device_(device) {
  require_device(device);
  if (device.is_cpu())
    throw DeviceError(
        "a module runs on a CUDA device, got cpu; gpuarray.fuse and ElementwiseKernel run on both");
  DeviceGuard on(device);
  blocking([&] { load(image); });  // compiling PTX takes a while
}

void UserLibrary::load(const std::string& image) {
  auto check = [this](CUresult status, const char* call) {
    if (lacks_device_code(status)) refuse_image(status, device_, log_ ? log_->c_str() : "");
    check_driver(status, call, __FILE__, __LINE__);
  };
  unsigned int options = 0;
  if (is_text(image)) {
    log_ = std::make_unique<std::string>(kLogBytes, '\0');
    options = 2;
  }
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log_ ? log_->data() : nullptr, reinterpret_cast<void*>(kLogBytes - 1)};
  CUlibrary loaded = nullptr;
  check(GPUARRAY_CALL(
            cuLibraryLoadData(&loaded, image.c_str(), names, values, options, nullptr, nullptr, 0)),
        "cuLibraryLoadData");
  // Only this call makes the driver look for code for the device.
  CUmodule module = nullptr;
  const CUresult status = GPUARRAY_CALL(cuLibraryGetModule(&module, loaded));
  if (status != CUDA_SUCCESS) GPUARRAY_CALL(cuLibraryUnload(loaded));
  check(status, "cuLibraryGetModule");
  handle_ = loaded;
}

UserLibrary::~UserLibrary() {
  if (driver_end.load() == nullptr) quietly([&] { unload(); });
  if (is_loaded()) log_.release();  // the driver may still write to it
}

void UserLibrary::unload() {
  const BlockingLock lock(unloading_);
  if (handle_ == nullptr) return;
  require_unloadable();
  const CUlibrary taken = handle_.exchange(nullptr);
  try {
    DeviceGuard on(device_);
    blocking([&] {
      for (int uses = uses_; uses != 0; uses = uses_) uses_.wait(uses);
      require_unloadable();  // a graph may have been captured meanwhile
      wait_for_work(device_);
    });
    GPUARRAY_CHECK(cuLibraryUnload(taken));
  } catch (...) {
    handle_ = taken;
    throw;
  }
}

void UserLibrary::require_unloadable() const {
  if (is_capturing(device_))
    throw CaptureError("unload: a graph is being captured on " + to_string(device_) +
                       ", so that the device cannot be waited for");
  const LockGuard lock(graph_mutex_);
  if (!graph_use_.expired()) throw ValueError("unload: a captured graph uses the module");
}

std::shared_ptr<const void> UserLibrary::graph_use() {
  const LockGuard lock(graph_mutex_);
  std::shared_ptr<const void> use = graph_use_.lock();
  if (use == nullptr) graph_use_ = use = std::make_shared<const UserLibraryPtr>(shared_from_this());
  return use;
}

// Counts the use before it reads the handle. unload() takes the handle before it reads the count,
// so that one of the two sees the other.
UserLibrary::Use::Use(const UserLibrary* library) : library_(library) {
  if (library_ == nullptr) return;
  ++library_->uses_;
  if (library_->is_loaded()) [[likely]]
    return;
  if (--library_->uses_ == 0) library_->uses_.notify_all();
  throw ValueError("the module was unloaded");
}

UserLibrary::Use::~Use() {
  if (library_ != nullptr && --library_->uses_ == 0) library_->uses_.notify_all();
}

CUkernel UserLibrary::find_kernel(const std::string& name) const {
  const Use use(this);
  DeviceGuard on(device_);
  CUkernel kernel = nullptr;
  const CUresult status = GPUARRAY_CALL(cuLibraryGetKernel(&kernel, handle_, name.c_str()));
  if (status == CUDA_ERROR_NOT_FOUND) return nullptr;
  check_driver(status, "cuLibraryGetKernel", __FILE__, __LINE__);
  return kernel;
}

std::vector<std::string> UserLibrary::kernel_names() const {
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

UserLibrary::Global UserLibrary::find_global(const std::string& name) const {
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
