// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>

#include "core/device.hpp"
#include "runtime/driver/cufft_library.hpp"
#include "runtime/libraries/fft_plan_key.hpp"

namespace gpuarray {

// A plan of cuFFT for one device, which is current where it is made. It has no work area of its
// own. One thread may use it at a time; graphs that were captured with it keep it.
class CufftPlan {
 public:
  // Makes the plan. The driver may be called in any way meanwhile, also while a stream is captured.
  // Throws OutOfMemory, CudaError and DeviceError.
  CufftPlan(const FftPlanKey& key, Device device);
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  const FftPlanKey& key() const { return key_; }
  CufftHandle handle() const { return handle_; }
  int64_t work_bytes() const { return work_bytes_; }

 private:
  void make();

  const FftPlanKey key_;
  const Device device_;
  CufftHandle handle_ = -1;
  int64_t work_bytes_ = 0;
};

using CufftPlanPtr = std::shared_ptr<CufftPlan>;

}  // namespace gpuarray
