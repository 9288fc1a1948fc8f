// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

namespace gpuarray {

inline constexpr int kMaxFftAxes = 3;  // that one plan of cuFFT transforms

enum class FftType : uint8_t { complex_to_complex, real_to_complex, complex_to_real };

// Where the elements of a batch of transforms lie, in elements. An element of the last axis is
// `stride` from its neighbour, one of axis k - 1 is embed[k] times as far from its own as one of
// axis k is, and transforms begin `distance` from each other.
struct FftLayout {
  int64_t embed[kMaxFftAxes] = {};  // the first has no meaning
  int64_t stride = 1;
  int64_t distance = 1;

  bool operator==(const FftLayout&) const = default;
};

// What a plan of cuFFT is made for. It serves both directions.
struct FftPlanKey {
  int64_t lengths[kMaxFftAxes] = {};  // points along each axis; the last one is halved
  FftLayout input, output;
  int64_t batch = 1;
  int rank = 1;
  FftType type = FftType::complex_to_complex;
  bool is_double = false;
  bool is_simple = false;  // both layouts are contiguous

  bool operator==(const FftPlanKey&) const = default;
};

}  // namespace gpuarray
