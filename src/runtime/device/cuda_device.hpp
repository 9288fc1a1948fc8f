// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

inline constexpr int kMaxCudaDevices = 64;

// One T a CUDA device, made at its first use and never destroyed.
template <class T>
class PerDevice {
 public:
  // Throws DeviceError for an index without a device, and what `make(index)` throws.
  template <class Make>
  T& get(int index, Make&& make) {
    if (index < 0 || index >= kMaxCudaDevices) require_device(Device::cuda(index));
    if (T* found = values_[index].load(std::memory_order_acquire)) return *found;
    require_device(Device::cuda(index));
    const BlockingLock lock(mutex_);
    T* value = values_[index].load(std::memory_order_relaxed);
    if (value == nullptr) {
      value = new T(make(index));
      values_[index].store(value, std::memory_order_release);
    }
    return *value;
  }

  // Null if it is not made yet.
  const T* peek(int index) const { return values_[index].load(std::memory_order_acquire); }

 private:
  std::atomic<T*> values_[kMaxCudaDevices] = {};
  std::mutex mutex_;
};

struct CudaContext {
  CUcontext handle;
  CUmemoryPool pool;  // the device's default pool, null if it has none
};
// The primary context, which all libraries of the process share: retained at first use, never
// released.
const CudaContext& primary_context(int index);
// Whether the device has been used, and so may have work.
bool is_open(int index);
// The device whose primary context it is, cpu for none.
Device device_of_context(CUcontext context);

}  // namespace gpuarray
