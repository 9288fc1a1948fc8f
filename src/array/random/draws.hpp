// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "array/array.hpp"
#include "backend/random_plan.hpp"

namespace gpuarray::ops {

// Draws plan.count results into `out`, which is C-contiguous and aligned to 16 bytes, and advances
// `state`: both are opened for writing, so that draws from one state follow each other on all
// streams. The caller sets what the numbers are; memory, count and shape are set here. On CUDA
// devices only.
void draw_random(RandomPlan plan, const Array& state, const Array& out);

// Draws integers of `out`'s dtype from low to low + span, in the order of NumPy's
// Generator.integers; otherwise as draw_random().
void draw_integers(BitGenerator generator, const Array& state, const Array& out, uint64_t low,
                   uint64_t span);

}  // namespace gpuarray::ops
