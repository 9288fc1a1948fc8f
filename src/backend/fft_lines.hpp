// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Transforms that a kernel of the package's own computes: those of many points, in lines of up to
// 1024 points each.
#pragma once

#include <optional>
#include <vector>

#include "backend/fft.hpp"
#include "kernels/fft/lines_params.hpp"

namespace gpuarray {

// What the kernel takes for lines of first * second points.
struct FftLines {
  FftLinesParams params;
  int first, second;
  bool from_rows, to_rows;  // whether points lie closer than lines do
};

// Returns what the kernel takes for a plan; nullopt if it does not do it, or not well: for few
// points, batches of more than two axes, and lines whose number of points is below 16, above 1024
// or has prime factors above 7.
std::optional<FftLines> fft_lines(const FftPlan& plan);

// Returns the plans of lines that together transform one axis that is too long for one line: from
// the source to memory that is laid out as the target, there, and from there to the target. That
// memory is nullptr in the plans until set_between(). Columns that lie side by side are taken too.
// Returns none if that is not possible, or fft_lines() does not take one of the steps.
std::vector<FftPlan> long_fft_steps(const FftPlan& plan);

// Puts that memory between the steps.
void set_between(std::vector<FftPlan>& steps, void* data, const BufferUse& use);

}  // namespace gpuarray
