// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/random/draws.hpp"

#include <limits>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"

namespace gpuarray::ops {
namespace {

// The two draws of integers from units of one size: of all units, or of those that are accepted.
struct IntegerDraws {
  RandomDraw all;
  RandomDraw some;
};

// Returns the draws for results of `itemsize` bytes that are at most `span` above the smallest, and
// sets the bits of a unit.
IntegerDraws draws_for(DType dtype, uint64_t span, int& bits) {
  if (dtype == DType::bool_) {
    bits = 1;
    return {RandomDraw::integers_1, RandomDraw::integers_1};
  }
  const int size = itemsize(dtype);
  bits = 8 * size;
  if (size == 1) return {RandomDraw::integers_8, RandomDraw::some_integers_8};
  if (size == 2) return {RandomDraw::integers_16, RandomDraw::some_integers_16};
  if (size == 4) return {RandomDraw::integers_32, RandomDraw::some_integers_32};
  if (span > std::numeric_limits<uint32_t>::max())
    return {RandomDraw::integers_64, RandomDraw::some_integers_64};
  bits = 32;
  return {RandomDraw::integers_32_wide, RandomDraw::some_integers_32_wide};
}

}  // namespace

void draw_random(RandomPlan plan, const Array& state, const Array& out) {
  if (out.size() == 0) return;
  Access access(current_stream(out.device()));
  plan.state = access.write(state);
  plan.out = access.write(out);
  plan.dtype = out.dtype();
  plan.count = out.size();
  plan.shape = &out.shape();
  backend_of(out.device()).random(plan, access.stream());
}

void draw_integers(BitGenerator generator, const Array& state, const Array& out, uint64_t low,
                   uint64_t span) {
  int bits = 0;
  const IntegerDraws draws = draws_for(out.dtype(), span, bits);
  const uint64_t range = span + 1;  // 0 for all integers of 64 bits
  const uint64_t largest = ~uint64_t{0} >> (64 - bits);
  const uint64_t threshold = range == 0 ? 0 : (largest - span) % range;
  draw_random({.generator = generator,
               .draw = threshold == 0 ? draws.all : draws.some,
               .dtype = out.dtype(),
               .low = low,
               .range = range,
               .threshold = threshold},
              state, out);
}

}  // namespace gpuarray::ops
