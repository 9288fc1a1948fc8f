// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/cast.cuh"

namespace gpuarray {

// Converts each element of type Source to the value type of Reducer, which reduces it.
template <class Source, class Reducer>
struct converted_reducer : Reducer {
  using value = Source;
  using typename Reducer::local;
  static constexpr bool packed = false;
  GPUARRAY_HD static void step(local& a, value element, uint32_t position) {
    Reducer::step(a, cast<typename Reducer::value>(element), position);
  }
};

}  // namespace gpuarray
