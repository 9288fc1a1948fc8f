// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// A stretch of a row, which may be empty.
template <class Scanner>
struct Stretch {
  typename Scanner::accumulator total;
  bool any;

  // This one and the stretch after it.
  GPUARRAY_HD Stretch then(const Stretch& next) const {
    if (!any) return next;
    if (!next.any) return *this;
    return {Scanner::combine(total, next.total), true};
  }
  // The result at `element`, which comes next and is then part of the stretch.
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
