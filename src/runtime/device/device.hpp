// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"

namespace gpuarray {

// Returns the number of CUDA devices that can run kernels, 0 without a usable driver. The first
// call loads the driver.
int cuda_device_count();
// Returns why there is no CUDA device ("libcuda.so.1 was not found", "the driver supports CUDA
// 11.4, 12.0 or newer is needed"), "" if there is one.
const std::string& cuda_absent_reason();

// Throws DeviceError, which names the device and those that exist, unless the device exists.
void require_device(Device device);

// What is known of a device; compute capability is 0.0 for cpu.
struct DeviceProperties {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int64_t total_memory = 0;  // bytes
  // Whether all kernels that run on it wait for the grid before them. What is compiled for 9.0 and
  // newer does, also what is compiled at run time; older PTX, which newer devices can run, does
  // not.
  bool starts_early = false;
};
// Returns the properties of a device, read once. Throws DeviceError for one that does not exist.
const DeviceProperties& properties(Device device);

// The memory of a device.
struct MemoryInfo {
  int64_t free;   // bytes for new arrays, including what the memory pools keep for reuse
  int64_t total;  // bytes
};

// Returns the device of new arrays: that of this thread (set_thread_device), else of the process
// (set_default_device), else of GPUARRAY_DEVICE, else cuda:0, else cpu. `fell_back` becomes true if
// cpu was taken only because there is no CUDA device. Throws DeviceError for a bad GPUARRAY_DEVICE.
Device default_device(bool* fell_back = nullptr);
// Sets the process's device of new arrays. Throws DeviceError for one that does not exist.
void set_default_device(Device device);
// Returns the default device if that is a CUDA device, else cuda:0, which need not exist.
Device default_cuda_device();

// A thread's own device of new arrays, which takes precedence over the process's if `set`.
struct ThreadDevice {
  bool set = false;
  Device device;
};
// Sets or clears this thread's device and returns the previous one. Throws DeviceError for a device
// that does not exist.
ThreadDevice set_thread_device(ThreadDevice device);

// Makes the device's primary context current in this thread for the scope; does nothing for cpu.
// The constructor throws DeviceError and CudaError.
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  void* previous_ = nullptr;
  bool switched_ = false;
};

}  // namespace gpuarray
