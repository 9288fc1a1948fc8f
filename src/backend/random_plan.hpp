// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"
#include "core/dtype.hpp"

namespace gpuarray {

// The bit generators and the draws of kernels/random/draws.def.
enum class BitGenerator : int {
#define GPUARRAY_BIT_GENERATOR(name, ...) name,
#include "kernels/random/draws.def"
};
enum class RandomDraw : int {
#define GPUARRAY_DRAW(name, ...) name,
#include "kernels/random/draws.def"
};

// The bytes of a bit generator's state in device memory: a RandomState of
// kernels/random/random_params.hpp, with room to spare.
inline constexpr int64_t kRandomStateBytes = 128;

// Describes a draw of random numbers, which reads and advances the state of a bit generator in
// device memory (RandomState of kernels/random/random_params.hpp). The plan borrows all memory that
// it points to.
struct RandomPlan {
  BitGenerator generator;
  RandomDraw draw;
  DType dtype;  // of the results, shown by error messages
  void* state = nullptr;
  void* out = nullptr;  // contiguous, aligned to 16 bytes
  int64_t count = 0;    // results, at least 1
  // Float64 results become loc + scale * result; these leave them as they are, -0 too.
  double loc = -0.0;
  double scale = 1;
  // Integers: the smallest one, how many there are (0: as many as a unit has values), and below
  // which leftover a unit is not taken.
  uint64_t low = 0;
  uint64_t range = 0;
  uint64_t threshold = 0;
  const Shape* shape = nullptr;  // shown by error messages; must outlive the plan
};

}  // namespace gpuarray
