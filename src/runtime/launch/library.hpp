// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

// Device code of a user, loaded for one device: kernels and variables by name. Thread-safe.
class Library : public std::enable_shared_from_this<Library> {
 public:
  // `image`: a cubin, a fatbin, or PTX, which the driver compiles. Throws DeviceError for the cpu
  // and for an image without code for the device, CompileError with the driver's log for bad PTX.
  Library(Device device, const std::string& image);
  // Unloads it, as unload().
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Refuses new uses, waits for those there are and for the work queued on the device, then gives
  // its memory back; nothing the second time. Throws as require_unloadable(), and is then as
  // before.
  void unload();
  // Throws CaptureError while a graph is captured on the device, ValueError while one uses it.
  void require_unloadable() const;
  bool is_loaded() const { return handle_ != nullptr; }

  // Holds off unload() for the scope; null is nothing. Throws ValueError once it was unloaded.
  class Use {
   public:
    explicit Use(const Library* library);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const Library* const library_;
  };
  // What a captured graph keeps of it, for as long as which it cannot be unloaded.
  std::shared_ptr<const void> graph_use();

  Device device() const { return device_; }
  CUlibrary handle() const { return handle_; }

  // Null if there is none of this name, as the image spells it.
  CUkernel find_kernel(const std::string& name) const;
  // As the image spells them. Throws DeviceError for a driver before CUDA 12.4.
  std::vector<std::string> kernel_names() const;

  // A __device__ or __constant__ variable; lives as long as the library is loaded.
  struct Global {
    uintptr_t address = 0;  // 0 if there is none of this name
    size_t nbytes = 0;
  };
  Global find_global(const std::string& name) const;

 private:
  CUresult load(const std::string& image);

  const Device device_;
  std::atomic<CUlibrary> handle_ = nullptr;  // null as soon as it is to be unloaded
  mutable std::atomic<int> uses_ = 0;
  std::mutex unloading_;
  mutable std::mutex graph_mutex_;
  std::weak_ptr<const void> graph_use_;
  // The driver writes into it when it compiles PTX, which may be again for a later context.
  std::unique_ptr<std::string> log_;
};

using LibraryPtr = std::shared_ptr<Library>;

// Loads an image, as the constructor. Code whose last user goes during a capture, when the device
// cannot be waited for, is unloaded before the next is loaded.
LibraryPtr load_library(Device device, const std::string& image);

}  // namespace gpuarray
