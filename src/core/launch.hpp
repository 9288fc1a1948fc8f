// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace gpuarray {

// What is known of a queued kernel when it may have failed.
struct Launch {
  static constexpr int kShownDims = 4;

  std::string operation;
  // Of the result, of the source for a reduction, the first kShownDims axes; of a user's kernel the
  // grid.
  Shape shape;
  uint32_t block[3] = {0, 0, 0};  // of a user's kernel, which has no dtype
  int ndim = 0;
  DType dtype = DType::bool_;
  Device device;
  uintptr_t stream = 0;
  std::string file;  // of the Python line, "" if it was not recorded
  int line = 0;

  bool is_user_kernel() const { return block[0] != 0; }
};

// "add((3, 4), float64)", "scale<<<(4, 1, 1), (256, 1, 1)>>>".
std::string short_text(const Launch& launch);
// "add((3, 4), float64) on stream 0x5581 of cuda:0, at model.py:12".
std::string to_string(const Launch& launch);

}  // namespace gpuarray
