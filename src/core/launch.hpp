// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <string>

#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace gpuarray {

// Describes a queued kernel in the report of a failure that it may have caused.
struct Launch {
  static constexpr int kShownDims = 4;

  std::string operation;
  // The shape of the result (of the source for a reduction), cut to kShownDims axes. For a user's
  // kernel it is the grid.
  Shape shape;
  uint32_t block[3] = {0, 0, 0};  // threads; only a user's kernel has it, and that has no dtype
  int ndim = 0;
  DType dtype = DType::bool_;
  Device device;
  uintptr_t stream = 0;
  std::string file;  // the file of the Python line that launched it, "" if that was not recorded
  int line = 0;

  bool is_user_kernel() const { return block[0] != 0; }
};

// The launch without its place: "add((3, 4), float64)", "scale<<<(4, 1, 1), (256, 1, 1)>>>".
std::string short_text(const Launch& launch);
// The launch with its place: "add((3, 4), float64) on stream 0x5581 of cuda:0, at model.py:12".
std::string to_string(const Launch& launch);

}  // namespace gpuarray
