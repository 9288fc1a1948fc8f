// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/dims.hpp"

namespace gpuarray {

std::string to_string(const Dims& dims) {
  std::string text = "(";
  for (int axis = 0; axis < dims.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(dims[axis]);
  }
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace gpuarray
