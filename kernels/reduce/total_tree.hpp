// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Combines totals in pairs as they come, as a binary counter carries: two totals of 2^k leaves
// become one of 2^(k+1). So any 2^k neighbouring leaves that begin at a multiple of 2^k may be
// combined elsewhere without changing a bit of the result.
// Level k lies in slot(k), which the caller provides; combine(k, other) adds a later total to it.
class TotalTree {
 public:
  // Adds a total of 2^level leaves. store(k) keeps it at level k; carry(k) combines what level k
  // holds with it, to become the total that is carried on.
  template <class Store, class Carry>
  void add(int level, Store&& store, Carry&& carry) {
    const uint64_t one = uint64_t(1) << level;
    for (; (leaves_ & (uint64_t(1) << level)) != 0; ++level) carry(level);
    store(level);
    leaves_ += one;
  }
  // Calls carry(k) for each level that holds a total, from the lowest to the highest.
  template <class Carry>
  void finish(Carry&& carry) const {
    for (int level = 0; level < 64; ++level)
      if ((leaves_ >> level & 1) != 0) carry(level);
  }
  bool is_empty() const { return leaves_ == 0; }

 private:
  uint64_t leaves_ = 0;
};

}  // namespace gpuarray
