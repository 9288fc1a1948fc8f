// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>

#include "core/thread_safety.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/driver/driver_types.hpp"

namespace gpuarray {

inline constexpr int kMaxCudaDevices = 64;

// Holds one T for each CUDA device, made at the first use and never destroyed. Thread-safe.
template <class T>
class PerDevice {
 public:
  // Returns the device's T, made by make(index) if need be. Throws DeviceError for an index without
  // a device, and what make() throws.
  template <class Make>
  T& get(int index, Make&& make) {
    if (index >= 0 && index < kMaxCudaDevices) [[likely]]
      if (T* found = values_[index].load(std::memory_order_acquire)) [[likely]]
        return *found;
    return make_here(index, make);
  }

  // Returns the device's T, or null if it was not made yet. Takes no lock.
  const T* peek(int index) const { return values_[index].load(std::memory_order_acquire); }

 private:
  template <class Make>
  [[gnu::noinline]] T& make_here(int index, Make& make) {
    require_device(Device::cuda(index));
    require_driver();
    const BlockingLock lock(mutex_);
    T* value = values_[index].load(std::memory_order_relaxed);
    if (value == nullptr) {
      value = new T(make(index));
      values_[index].store(value, std::memory_order_release);
    }
    return *value;
  }

  std::atomic<T*> values_[kMaxCudaDevices] = {};
  Mutex mutex_;
};

// A device's primary context and memory pool.
struct CudaContext {
  CUcontext handle;
  CUmemoryPool pool;  // the device's default pool, null if it has none
};
// Returns the device's primary context, which all libraries of the process share. It is retained at
// the first use and never released. Throws DeviceError and CudaError.
const CudaContext& primary_context(int index);
// Returns whether primary_context() was called for the device, without which it has no work of
// ours.
bool is_open(int index);
// Returns the device that this is the primary context of; cpu for any other context.
Device device_of_context(CUcontext context);

}  // namespace gpuarray
