// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/stream/synchronize.hpp"

#include "runtime/device/device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
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

bool try_finish(Device device) noexcept {
  bool done = false;
  quietly([&] {
    blocking([&] { finish(device); });
    done = true;
  });
  return done || driver_end.load() != nullptr;
}

}  // namespace gpuarray
