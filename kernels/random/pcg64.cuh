// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The streams of PCG64 and PCG64DXSM (O'Neill, "PCG: A Family of Simple Fast Space-Efficient
// Statistically Good Algorithms for Random Number Generation", 2014), entered at any word.
#pragma once

#include "kernels/random/units.cuh"
#include "kernels/random/wide.cuh"

namespace gpuarray {

// Permutes the state after a step: XSL-RR.
struct Pcg64Output {
  static constexpr Wide multiplier = {0x4385df649fccf645, 0x2360ed051fc65da4};
  static constexpr int steps_before = 1;  // a word is made from the state after its step

  __device__ static uint64_t word(Wide state) {
    return turn_right(state.high ^ state.low, uint32_t(state.high >> 58));
  }
};

// Permutes the state before a step: DXSM.
struct Pcg64DxsmOutput {
  static constexpr Wide multiplier = {0xda942042e4dd58b5, 0};
  static constexpr int steps_before = 0;

  __device__ static uint64_t word(Wide state) {
    uint64_t high = state.high;
    high ^= high >> 32;
    high *= multiplier.low;
    high ^= high >> 48;
    return high * (state.low | 1);
  }
};

template <class Output>
__device__ const DigitSteps digit_steps{Output::multiplier};
template <class Output>
__device__ const StepSums step_sums{Output::multiplier};

// The stream from a state on. Every thread of a block has a copy.
template <class Output>
struct PcgStream {
  Wide state;
  Wide increment;

  using Place = Wide;  // the state of which a word is made
  struct Scratch {};

  __device__ PcgStream(Wide first, Wide step) : state(first), increment(step) {}
  __device__ explicit PcgStream(const RandomState& from)
      : state{from.words[0], from.words[1]}, increment{from.words[2], from.words[3]} {}

  // Returns the state after so many steps. Four digits are looked up together.
  __device__ Wide after(uint64_t steps) const {
    Wide reached = state;
    for (int digit = 0; steps != 0; digit += 4, steps >>= 16) {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        reached =
            digit_steps<Output>.steps[digit + k][steps >> (4 * k) & 15].apply(reached, increment);
    }
    return reached;
  }
  // Returns as many steps at once.
  __device__ Steps128 stride(uint64_t steps) const {
    const PcgStream unit(Wide{1, 0}, Wide{0, 0}), zero(Wide{0, 0}, Wide{1, 0});
    return {unit.after(steps), zero.after(steps)};
  }
  // Returns word `index` of the stream.
  __device__ uint64_t word(uint64_t index) const {
    return Output::word(after(index + Output::steps_before));
  }

  // Walks over runs of one or two neighbouring words, `step` runs at a time.
  template <int length>
  struct Runs {
    Wide state;
    Wide power;
    Wide sum;
    Wide increment;

    __device__ Runs(const PcgStream& stream, int64_t first, int64_t step)
        : state(stream.after(uint64_t(first) * length + Output::steps_before)),
          increment(stream.increment) {
      const Steps128 all = stream.stride(uint64_t(step) * length);
      power = all.power;
      sum = multiply_add(all.sum, increment, {0, 0});
    }
    __device__ void take(uint64_t (&words)[length]) {
      words[0] = Output::word(state);
      if constexpr (length == 2)
        words[1] = Output::word(multiply_add(Output::multiplier, state, increment));
      state = multiply_add(power, state, sum);
    }
  };

  __device__ Place place(uint64_t index) const { return after(index + Output::steps_before); }
  // Returns the place kRandomWordsBehind words before another one.
  __device__ Place before(Place from) const {
    constexpr Steps128 back =
        constant_steps(kRandomWordsBehind, constant_step_back(Output::multiplier));
    return back.apply(from, increment);
  }
  // Returns the place a few words behind another one, at most kRandomStepSums.
  __device__ Place behind(Place from, int words) const {
    const Wide sum = constant_sum(Output::multiplier, {~uint64_t{0}, ~uint64_t{0}});
    const Wide step = multiply_add(sum, from, increment);
    return multiply_add(step_sums<Output>.sums[words], step, from);
  }

  // Places that are so many words apart.
  struct Places {
    Wide state;
    Wide power;
    Wide sum;

    __device__ Places(const PcgStream& stream, Place first, int64_t words) : state(first) {
      const Steps128 all = stream.stride(uint64_t(words));
      power = all.power;
      sum = multiply_add(all.sum, stream.increment, {0, 0});
    }
    __device__ Place take() {
      const Wide now = state;
      state = multiply_add(power, state, sum);
      return now;
    }
  };

  // The words of a warp, from a place on, of which each lane takes every 32nd.
  struct WarpWords {
    static constexpr Steps128 stride = constant_steps(32, {Output::multiplier, {1, 0}});
    Wide state;
    Wide sum;

    __device__ WarpWords(const PcgStream& stream, Place from, Scratch&)
        : state(stream.behind(from, int(threadIdx.x % 32))),
          sum(multiply_add(stride.sum, stream.increment, {0, 0})) {}
    __device__ uint64_t take() {
      const uint64_t word = Output::word(state);
      state = multiply_add(stride.power, state, sum);
      return word;
    }
  };

  // Words one by one, from a place and a distance on.
  struct Words {
    Wide state;
    Wide increment;

    __device__ Words(const PcgStream& stream, Place from, int distance)
        : state(stream.behind(from, distance)), increment(stream.increment) {}
    __device__ uint64_t take() {
      const uint64_t word = Output::word(state);
      state = multiply_add(Output::multiplier, state, increment);
      return word;
    }
  };

  // Writes the state after so many words of the stream.
  __device__ void store(RandomState& to, uint64_t words) const {
    const Wide reached = after(words);
    to.words[0] = reached.low;
    to.words[1] = reached.high;
  }
};

using Pcg64 = PcgStream<Pcg64Output>;
using Pcg64Dxsm = PcgStream<Pcg64DxsmOutput>;

}  // namespace gpuarray
