// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/device_name.hpp"

#include <charconv>
#include <string_view>

#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr std::string_view kCuda = "cuda";

// The N of ":N", or -1.
int parse_index(std::string_view text) {
  int index = -1;
  if (text.size() < 2 || text[0] != ':' || text[1] == '-') return -1;
  auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() ? index : -1;
}

}  // namespace

Device parse_device(const std::string& text) {
  if (text == "cpu") return Device::cpu();
  if (text == kCuda) return Device::cuda(0);
  std::string_view view = text;
  int index = view.starts_with(kCuda) ? parse_index(view.substr(kCuda.size())) : -1;
  if (index < 0)
    throw DeviceError("device \"" + text + "\": expected \"cpu\", \"cuda\" or \"cuda:N\"");
  return Device::cuda(index);
}

}  // namespace gpuarray
