// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Arithmetic modulo 2^128, for linear congruential generators.
#pragma once

#include "kernels/random/random_params.hpp"

namespace gpuarray {

struct Wide {
  uint64_t low;
  uint64_t high;
};

// Returns the upper half of a product of 64-bit integers.
__device__ inline uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return uint64_t(static_cast<unsigned __int128>(a) * b >> 64);
#endif
}

// Returns a * b + c. The products of 32-bit parts are added as they are made, each wide one to two
// neighbouring parts of the sum.
__device__ inline Wide multiply_add(Wide a, Wide b, Wide c) {
#ifdef __CUDA_ARCH__
  Wide r;
  asm("{\n\t"
      ".reg .u32 a0, a1, a2, a3, b0, b1, b2, b3, r0, r1, r2, r3;\n\t"
      "mov.b64 {a0, a1}, %2;\n\t"
      "mov.b64 {a2, a3}, %3;\n\t"
      "mov.b64 {b0, b1}, %4;\n\t"
      "mov.b64 {b2, b3}, %5;\n\t"
      "mov.b64 {r0, r1}, %6;\n\t"
      "mov.b64 {r2, r3}, %7;\n\t"
      "mad.lo.cc.u32 r0, a0, b0, r0;\n\t"
      "madc.hi.cc.u32 r1, a0, b0, r1;\n\t"
      "madc.lo.cc.u32 r2, a2, b0, r2;\n\t"
      "madc.hi.u32 r3, a2, b0, r3;\n\t"
      "mad.lo.cc.u32 r1, a1, b0, r1;\n\t"
      "madc.hi.cc.u32 r2, a1, b0, r2;\n\t"
      "madc.lo.u32 r3, a3, b0, r3;\n\t"
      "mad.lo.cc.u32 r1, a0, b1, r1;\n\t"
      "madc.hi.cc.u32 r2, a0, b1, r2;\n\t"
      "madc.lo.u32 r3, a2, b1, r3;\n\t"
      "mad.lo.cc.u32 r2, a1, b1, r2;\n\t"
      "madc.hi.u32 r3, a1, b1, r3;\n\t"
      "mad.lo.cc.u32 r2, a0, b2, r2;\n\t"
      "madc.hi.u32 r3, a0, b2, r3;\n\t"
      "mad.lo.u32 r3, a1, b2, r3;\n\t"
      "mad.lo.u32 r3, a0, b3, r3;\n\t"
      "mov.b64 %0, {r0, r1};\n\t"
      "mov.b64 %1, {r2, r3};\n\t"
      "}"
      : "=l"(r.low), "=l"(r.high)
      : "l"(a.low), "l"(a.high), "l"(b.low), "l"(b.high), "l"(c.low), "l"(c.high));
  return r;
#else
  const uint64_t low = a.low * b.low + c.low;
  const uint64_t carry = low < c.low;
  return {low, multiply_high(a.low, b.low) + a.low * b.high + a.high * b.low + c.high + carry};
#endif
}

// Returns the bits of `word` turned right by 0 to 63 places.
__device__ inline uint64_t turn_right(uint64_t word, uint32_t places) {
#ifdef __CUDA_ARCH__
  const uint32_t low = uint32_t(word), high = uint32_t(word >> 32);
  const uint32_t first = (places & 32) != 0 ? high : low;
  const uint32_t second = (places & 32) != 0 ? low : high;
  return uint64_t(__funnelshift_r(second, first, places)) << 32 |
         __funnelshift_r(first, second, places);
#else
  return word >> places | word << (-places & 63);
#endif
}

// Some steps x -> multiplier * x + increment of a generator, taken at once: x becomes
// power * x + sum * increment.
struct Steps128 {
  Wide power;
  Wide sum;

  __device__ Wide apply(Wide state, Wide increment) const {
    return multiply_add(power, state, multiply_add(sum, increment, {0, 0}));
  }
};

// The same arithmetic for constants, which compilers evaluate.
__device__ constexpr Wide constant_product(Wide a, Wide b) {
  const uint64_t mask = 0xffffffffu;
  const uint64_t a0 = a.low & mask, a1 = a.low >> 32, b0 = b.low & mask, b1 = b.low >> 32;
  const uint64_t low = a0 * b0;
  const uint64_t middle = a1 * b0 + (low >> 32);
  const uint64_t other = a0 * b1 + (middle & mask);
  const uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32);
  return {a.low * b.low, high + a.low * b.high + a.high * b.low};
}
__device__ constexpr Wide constant_sum(Wide a, Wide b) {
  return {a.low + b.low, a.high + b.high + (a.low + b.low < a.low)};
}
// Returns the steps `first` and then the steps `second`.
__device__ constexpr Steps128 constant_steps(const Steps128& first, const Steps128& second) {
  return {constant_product(first.power, second.power),
          constant_sum(constant_product(first.sum, second.power), second.sum)};
}

__device__ constexpr Wide constant_negative(Wide a) {
  return constant_sum({~a.low, ~a.high}, {1, 0});
}
// Returns `count` steps at once.
__device__ constexpr Steps128 constant_steps(int count, const Steps128& step) {
  Steps128 all = {{1, 0}, {0, 0}};
  for (int k = 0; k < count; ++k) all = constant_steps(all, step);
  return all;
}
// Returns the step back. The inverse of the multiplier comes by Newton's iteration.
__device__ constexpr Steps128 constant_step_back(Wide multiplier) {
  Wide inverse = multiplier;  // of three bits
  for (int bits = 3; bits < 128; bits *= 2)
    inverse = constant_product(
        inverse, constant_sum({2, 0}, constant_negative(constant_product(multiplier, inverse))));
  return {inverse, constant_negative(inverse)};
}

// Entry [d][k] takes k * 16^d steps.
struct DigitSteps {
  Steps128 steps[16][16];

  __device__ constexpr explicit DigitSteps(Wide multiplier) : steps{} {
    Steps128 one = {multiplier, {1, 0}};
    for (int digit = 0; digit < 16; ++digit) {
      steps[digit][0] = {{1, 0}, {0, 0}};
      for (int k = 1; k < 16; ++k) steps[digit][k] = constant_steps(steps[digit][k - 1], one);
      one = constant_steps(steps[digit][15], one);
    }
  }
};
// Entry k is what k steps add up to: they take a state s whose next one is s + d to s + entry * d.
struct StepSums {
  Wide sums[kRandomStepSums + 1];

  __device__ constexpr explicit StepSums(Wide multiplier) : sums{} {
    for (int k = 1; k <= kRandomStepSums; ++k)
      sums[k] = constant_sum(constant_product(sums[k - 1], multiplier), {1, 0});
  }
};

}  // namespace gpuarray
