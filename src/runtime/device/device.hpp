// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"

namespace gpuarray {

// Number of CUDA devices that can run this build's kernels, 0 without a usable driver. Fills the
// driver table at the first call.
int cuda_device_count();
// Why there is no CUDA device ("libcuda.so.1 was not found", "the driver supports CUDA 11.4, 12.0
// or newer is needed"), empty if there is one.
const std::string& cuda_absent_reason();

// Throws DeviceError naming the device and those that exist.
void require_device(Device device);

struct DeviceProperties {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int64_t total_memory = 0;  // bytes
};
const DeviceProperties& properties(Device device);

struct MemoryInfo {
  int64_t free;   // bytes that arrays can have, those the pool keeps for reuse included
  int64_t total;  // bytes
};

// The device of new arrays: this thread's (set_thread_device), else the process's, else
// GPUARRAY_DEVICE, else cuda:0, else cpu. `fell_back` becomes true when cpu was taken only for want
// of a CUDA device.
Device default_device(bool* fell_back = nullptr);
void set_default_device(Device device);
// The default device where that is a CUDA device, else cuda:0, which need not exist.
Device default_cuda_device();

// This thread's default device, before which the process's stands back; returns the one before.
struct ThreadDevice {
  bool set = false;
  Device device;
};
ThreadDevice set_thread_device(ThreadDevice device);

// Makes the device's primary context current in this thread for the scope; nothing for cpu.
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
