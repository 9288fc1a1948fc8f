// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/device.hpp"

#include <charconv>

#include "core/error.hpp"

namespace gpuarray {

std::string to_string(Device device) {
  return device.is_cpu() ? "cpu" : "cuda:" + std::to_string(device.index);
}

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device::cpu();
  if (text == "cuda") return Device::cuda(0);
  if (text.starts_with("cuda:")) {
    int index = -1;
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data() + 5, end, index);
    if (error == std::errc() && rest == end && index >= 0) return Device::cuda(index);
  }
  throw DeviceError("device '" + text + "' is not known; expected 'cpu', 'cuda' or 'cuda:N'");
}

}  // namespace gpuarray
