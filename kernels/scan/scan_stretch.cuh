// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Holds the total of a stretch of neighbouring elements of a row, or of no elements if not `any`.
template <class Scanner>
struct Stretch {
  typename Scanner::accumulator total;
  bool any;

  // Returns the total of this stretch and of `next`, which follows it.
  GPUARRAY_HD Stretch then(const Stretch& next) const {
    if (!any) return next;
    if (!next.any) return *this;
    return {Scanner::combine(total, next.total), true};
  }
  // Appends `element` to the stretch and returns the result of the scan at that element.
  GPUARRAY_HD typename Scanner::result step(typename Scanner::value element) {
    const Stretch after = then({Scanner::lift(element), true});
    typename Scanner::result made;
    if constexpr (Scanner::exclusive)
      made = any ? Scanner::finish(total) : Scanner::first();
    else
      made = Scanner::finish(after.total);
    *this = after;
    return made;
  }
};

}  // namespace gpuarray
