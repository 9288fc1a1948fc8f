// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/pending_work.hpp"

#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {

PendingWork::PendingWork(const Stream& stream) : device_(stream.device()) {
  if (stream.done()) return;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING));
  CUresult status = GPUARRAY_CALL(cuEventRecord(event_, stream_handle(stream.handle())));
  if (status == CUDA_SUCCESS) return;
  GPUARRAY_CALL(cuEventDestroy(event_));
  check_driver(status, "cuEventRecord", __FILE__, __LINE__);
}

PendingWork::~PendingWork() {
  if (event_ == nullptr) return;
  quietly([&] {
    DeviceGuard on(device_);
    GPUARRAY_CALL(cuEventDestroy(event_));
  });
}

bool PendingWork::done() const {
  if (event_ == nullptr) return true;
  DeviceGuard on(device_);
  CUresult status = GPUARRAY_CALL(cuEventQuery(event_));
  if (status == CUDA_ERROR_NOT_READY) return false;
  check_driver(status, "cuEventQuery", __FILE__, __LINE__);
  return true;
}

void PendingWork::wait() const {
  if (event_ == nullptr) return;
  DeviceGuard on(device_);
  GPUARRAY_CHECK(cuEventSynchronize(event_));
}

}  // namespace gpuarray
