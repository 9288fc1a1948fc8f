// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/synchronize.hpp"

#include "runtime/device/device.hpp"
#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/noted_errors.hpp"

namespace gpuarray {

void synchronize(Device device) {
  if (device.is_cpu()) return;
  finish(device);
  raise_noted_errors(device);
}

void finish(Device device) {
  if (device.is_cpu()) return;
  DeviceGuard on(device);
  wait_for_work(device);
}

}  // namespace gpuarray
