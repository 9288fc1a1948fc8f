// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

namespace gpuarray {

enum class DeviceKind : uint8_t { cpu, cuda };

// Names a device. A Device may name one that does not exist; runtime/device/device.hpp checks that.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index) { return {DeviceKind::cuda, index}; }
  bool is_cpu() const { return kind == DeviceKind::cpu; }
  bool operator==(const Device&) const = default;
};

// Returns the device's name: "cpu" or "cuda:0".
std::string to_string(Device device);

}  // namespace gpuarray
