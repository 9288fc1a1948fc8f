// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// How the elements of a scan combine. A scanner has lift(), which makes an element an accumulator;
// combine(), which is associative but need not be commutative; and finish(), which makes an
// accumulator a result. Scans combine only totals of elements that exist, so that they need no
// identity.
#pragma once

#include "kernels/element/functors.cuh"
#include "kernels/reduce/reduce_ops.cuh"

namespace gpuarray {

// Scans by an operation of ops.def over elements of type Source, each of which is converted to
// Loop.
template <template <class> class Functor, class Source, class Loop, class Accumulator>
struct functor_scanner {
  using value = Source;
  using accumulator = Accumulator;
  using result = Loop;
  static constexpr bool exclusive = false;
  GPUARRAY_HD static accumulator lift(value element) {
    return cast<accumulator>(cast<Loop>(element));
  }
  GPUARRAY_HD static accumulator combine(accumulator a, accumulator b) {
    return Functor<accumulator>::apply(a, b);
  }
  GPUARRAY_HD static result finish(accumulator a) { return cast<result>(a); }
};

#define GPUARRAY_SCAN_ACCUMULATOR_SUM typename sum_accumulator<Loop>::type
#define GPUARRAY_SCAN_ACCUMULATOR_SAME compute_t<Loop>
#define GPUARRAY_SCAN(name, dtypes, accumulator) \
  template <class Source, class Loop = Source>   \
  using name##_scanner =                         \
      functor_scanner<name##_functor, Source, Loop, GPUARRAY_SCAN_ACCUMULATOR_##accumulator>;
#include "kernels/scans.def"

#undef GPUARRAY_SCAN_ACCUMULATOR_SUM
#undef GPUARRAY_SCAN_ACCUMULATOR_SAME

}  // namespace gpuarray
