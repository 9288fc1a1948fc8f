// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

namespace gpuarray {

enum class DeviceKind : uint8_t { cpu, cuda };

// A device by name; whether it exists is the runtime's to say.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index) { return {DeviceKind::cuda, index}; }
  bool is_cpu() const { return kind == DeviceKind::cpu; }
  bool operator==(const Device&) const = default;
};

// "cpu" or "cuda:0".
std::string to_string(Device device);

}  // namespace gpuarray
