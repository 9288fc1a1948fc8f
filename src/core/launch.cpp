// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/launch.hpp"

#include <cstdio>

namespace gpuarray {

std::string short_text(const Launch& launch) {
  std::string shape = to_string(launch.shape);
  if (launch.is_user_kernel())
    return launch.operation + "<<<" + shape + ", " +
           to_string(Dims{launch.block[0], launch.block[1], launch.block[2]}) + ">>>";
  if (launch.ndim > launch.shape.size()) shape.replace(shape.size() - 1, 1, ", ...)");
  return launch.operation + "(" + shape + ", " + name(launch.dtype) + ")";
}

std::string to_string(const Launch& launch) {
  char handle[24];
  std::snprintf(handle, sizeof handle, "0x%llx", static_cast<unsigned long long>(launch.stream));
  std::string text =
      short_text(launch) + " on stream " + handle + " of " + to_string(launch.device);
  if (launch.file.empty()) return text;
  return text + ", at " + launch.file + ":" + std::to_string(launch.line);
}

}  // namespace gpuarray
