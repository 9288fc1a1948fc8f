// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The stream of Philox4x64-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as
// 1, 2, 3", 2011).
#pragma once

#include "kernels/random/units.cuh"
#include "kernels/random/wide.cuh"

namespace gpuarray {

struct Philox {
  uint64_t counter[4];
  uint64_t key[2];
  uint64_t taken;  // words of the counter's block that earlier draws have taken, up to 4

  using Place = uint64_t;  // the number of a word, from the begin of the counter's block on
  // The last words that a warp has made.
  struct Scratch {
    uint64_t words[256];
  };

  __device__ explicit Philox(const RandomState& from) : taken(from.words[6]) {
    for (int k = 0; k < 4; ++k) counter[k] = from.words[k];
    for (int k = 0; k < 2; ++k) key[k] = from.words[4 + k];
  }

  // Sets `made` to the counter's value `blocks` later.
  __device__ void count_on(uint64_t blocks, uint64_t (&made)[4]) const {
    bool carry = false;
    for (int k = 0; k < 4; ++k) {
      const uint64_t more = k == 0 ? blocks : uint64_t(carry);
      made[k] = counter[k] + more;
      carry = made[k] < more;
    }
  }
  // Sets `made` to the words of the block `blocks` after the counter's.
  __device__ void block(uint64_t blocks, uint64_t (&made)[4]) const {
    count_on(blocks, made);
    uint64_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t high0 = multiply_high(0xd2e7470ee14c6c93, made[0]);
      const uint64_t low0 = 0xd2e7470ee14c6c93 * made[0];
      const uint64_t high1 = multiply_high(0xca5a826395121157, made[2]);
      const uint64_t low1 = 0xca5a826395121157 * made[2];
      made[0] = high1 ^ made[1] ^ k0;
      made[1] = low1;
      made[2] = high0 ^ made[3] ^ k1;
      made[3] = low0;
      k0 += 0x9e3779b97f4a7c15;
      k1 += 0xbb67ae8584caa73b;
    }
  }

  __device__ uint64_t word_at(Place place) const {
    uint64_t made[4];
    block(place / kPhiloxWords, made);
    return made[place % kPhiloxWords];
  }
  __device__ uint64_t word(uint64_t index) const { return word_at(place(index)); }
  __device__ Place place(uint64_t index) const { return taken + index; }
  __device__ Place before(Place from) const { return from - kRandomWordsBehind; }

  // As PcgStream::Runs.
  template <int length>
  struct Runs {
    const Philox& stream;
    uint64_t next;
    uint64_t step;

    __device__ Runs(const Philox& from, int64_t first, int64_t runs)
        : stream(from),
          next(from.taken + uint64_t(first) * length),
          step(uint64_t(runs) * length) {}
    __device__ void take(uint64_t (&words)[length]) {
      uint64_t made[4];
      stream.block(next / kPhiloxWords, made);
#pragma unroll
      for (int k = 0; k < length; ++k) {
        const int place = int((next + k) % kPhiloxWords);
        if (k > 0 && place == 0) stream.block((next + k) / kPhiloxWords, made);
        words[k] = made[place];
      }
      next += step;
    }
  };

  // As PcgStream::Places.
  struct Places {
    Place next;
    uint64_t words;

    __device__ Places(const Philox&, Place first, int64_t apart)
        : next(first), words(uint64_t(apart)) {}
    __device__ Place take() {
      next += words;
      return next - words;
    }
  };

  // As PcgStream::WarpWords. Each lane makes a block at a time.
  struct WarpWords {
    const Philox& stream;
    uint64_t* words;
    uint64_t next;
    uint64_t end;  // of the words that are made

    __device__ WarpWords(const Philox& from, Place place, Scratch& scratch)
        : stream(from), words(scratch.words), next(place), end(place - place % kPhiloxWords) {}
    __device__ uint64_t take() {
      const uint64_t lane = threadIdx.x % 32;
      if (int64_t(end - next) < 32) {  // the numbers before the first one are great
        uint64_t made[4];
        stream.block((end + lane * kPhiloxWords) / kPhiloxWords, made);
        __syncwarp();
        for (uint64_t k = 0; k < kPhiloxWords; ++k)
          words[(end + lane * kPhiloxWords + k) % 256] = made[k];
        __syncwarp();
        end += 32 * kPhiloxWords;
      }
      next += 32;
      return words[(next - 32 + lane) % 256];
    }
  };

  // As PcgStream::Words.
  struct Words {
    const Philox* stream;
    Place next;

    __device__ Words(const Philox& from, Place place, int distance)
        : stream(&from), next(place + uint64_t(distance)) {}
    __device__ uint64_t take() { return stream->word_at(next++); }
  };

  __device__ void store(RandomState& to, uint64_t words) const {
    if (words == 0) return;
    const uint64_t last = taken + words - 1;
    uint64_t made[4];
    count_on(last / kPhiloxWords, made);
    for (int k = 0; k < 4; ++k) to.words[k] = made[k];
    to.words[6] = last % kPhiloxWords + 1;
  }
};

}  // namespace gpuarray
