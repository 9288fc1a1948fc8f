// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// A user's device code, loaded for one device: kernels and variables by name. Thread-safe.
class UserLibrary : public std::enable_shared_from_this<UserLibrary> {
 public:
  // Loads `image`: a cubin, a fatbin, or PTX, which the driver compiles. Throws DeviceError for cpu
  // and for an image without code for the device, CompileError with the driver's log for bad PTX.
  UserLibrary(Device device, const std::string& image);
  // Unloads the code as unload() does, unless that throws.
  ~UserLibrary();
  UserLibrary(const UserLibrary&) = delete;
  UserLibrary& operator=(const UserLibrary&) = delete;

  // Unloads the code: refuses new uses, waits for those under way and for the work queued on the
  // device. Does nothing the second time. Throws as require_unloadable() and CudaError; the code
  // then stays loaded.
  void unload();
  // Throws CaptureError while a graph is being captured on the device, ValueError while a captured
  // graph uses the code.
  void require_unloadable() const;
  bool is_loaded() const { return handle_ != nullptr; }

  // Keeps the code loaded for the scope; a null library is ignored. Throws ValueError if it was
  // unloaded.
  class Use {
   public:
    explicit Use(const UserLibrary* library);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const UserLibrary* const library_;
  };
  // Returns what a captured graph keeps of the library. The code cannot be unloaded while it
  // exists.
  std::shared_ptr<const void> graph_use();

  Device device() const { return device_; }
  CUlibrary handle() const { return handle_; }

  // Returns the kernel of this name, as the image spells it; null if there is none. Throws
  // ValueError if the code was unloaded, as all that follow.
  CUkernel find_kernel(const std::string& name) const;
  // Returns the names of the kernels, as the image spells them. Throws DeviceError for a driver
  // older than CUDA 12.4.
  std::vector<std::string> kernel_names() const;

  // A __device__ or __constant__ variable, which exists as long as the code is loaded.
  struct Global {
    uintptr_t address = 0;  // device address; 0 if there is none of this name
    size_t nbytes = 0;
  };
  // Returns the variable of this name, as the image spells it.
  Global find_global(const std::string& name) const;

 private:
  void load(const std::string& image);

  const Device device_;
  std::atomic<CUlibrary> handle_ = nullptr;  // null from the begin of unload() on
  mutable std::atomic<int> uses_ = 0;
  Mutex unloading_;
  mutable Mutex graph_mutex_;
  std::weak_ptr<const void> graph_use_ GUARDED_BY(graph_mutex_);
  // The driver's log of compiling PTX. It keeps the address, and writes there again when it
  // compiles for a later context.
  std::unique_ptr<std::string> log_;
};

using UserLibraryPtr = std::shared_ptr<UserLibrary>;

// Loads an image as the constructor does. If the last reference is dropped during a capture or in a
// host function, when the driver cannot unload, the code is unloaded at a later call of this
// function.
UserLibraryPtr load_user_library(Device device, const std::string& image);

}  // namespace gpuarray
