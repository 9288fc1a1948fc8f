// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Plans of discrete Fourier transforms, and whether they can be computed where the elements lie.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/libraries/cufft.hpp"

namespace gpuarray {

// Describes transforms over one to kMaxFftAxes axes, one for each index of `batch`. Of real numbers
// on one side and complex ones on the other, the latter have lengths / 2 + 1 elements along the
// last axis. A source of complex numbers that become real is overwritten; for complex ones on both
// sides the source may be the target. The plan borrows all memory that it points to.
struct FftPlan {
  FftType type = FftType::complex_to_complex;
  bool forward = true;
  DType dtype = DType::complex64;  // of the complex numbers
  Shape lengths;                   // points along each axis, of which none is 0
  Strides source_steps;            // elements from one point to the next
  Strides target_steps;
  Shape batch;
  Strides source_batch;
  Strides target_batch;
  const void* source = nullptr;
  void* target = nullptr;
  double scale = 1;  // by which results are to be multiplied
  // If lines are the columns of a longer transform, its points and how many lines beside each other
  // are one column; results are multiplied by its roots of unity. See FftLinesParams.
  int64_t total = 0, columns = 1;
  std::vector<BufferUse> uses;          // the memory of both, which a backend opens itself
  const Shape* target_shape = nullptr;  // shown by error messages; must outlive the plan
};

// What became of a plan: nothing was queued, or the results are not, or are, multiplied by its
// scale.
enum class FftOutcome : uint8_t { refused, queued, scaled };

inline constexpr int64_t kMostFftCalls = 16;

// The calls of cuFFT that a plan stands for.
struct FftCalls {
  FftPlanKey key;
  std::vector<FftBatch> batches;
};
// Returns the calls; nullopt if cuFFT cannot do it where the elements lie, or only in more than
// kMostFftCalls calls.
std::optional<FftCalls> fft_calls(const FftPlan& plan);

}  // namespace gpuarray
