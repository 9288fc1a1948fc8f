// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "runtime/driver_types.hpp"

namespace gpuarray {

// Device code of a user, loaded for one device: kernels and variables by name.
class Library {
 public:
  // `image`: a cubin, a fatbin, or PTX, which the driver compiles. Throws DeviceError for the cpu
  // and for an image without code for the device, CompileError with the driver's log for bad PTX.
  Library(Device device, const std::string& image);
  // Unloads it, as unload().
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Waits for the work queued on the device, then gives its memory back; nothing the second time.
  // Throws CaptureError while a graph is captured on the device.
  void unload();
  bool is_loaded() const { return handle_ != nullptr; }
  void require_loaded() const;  // throws ValueError

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
  CUlibrary handle_ = nullptr;
  // The driver writes into it when it compiles PTX, which may be again for a later context.
  std::unique_ptr<std::string> log_;
};

using LibraryPtr = std::shared_ptr<Library>;

}  // namespace gpuarray
