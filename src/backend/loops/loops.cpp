// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The way into the loops of one level. Each level is compiled with a namespace of its own instead
// of gpuarray (meson.build), so that the linker never takes a function of one level for another
// one's. Only this function keeps its name.
#include "backend/loops/loops.hpp"

#define GPUARRAY_FILL_NAMED(level) gpuarray_fill_##level
#define GPUARRAY_FILL(level) GPUARRAY_FILL_NAMED(level)

namespace gpuarray::loops {
namespace {

// The larger of two bools is whether either is true, the smaller whether both are.
void share_loops_of_bools(Loops& loops) {
  constexpr auto kBool = static_cast<int>(DType::bool_);
  const auto elementwise = [&](Op op) -> RowLoop& {
    return loops.elementwise[static_cast<int>(op)][kBool];
  };
  const auto reductions = [&](Reduction reduction) -> ReduceLoops& {
    return loops.reductions[0][static_cast<int>(reduction)][kBool];
  };
  elementwise(Op::maximum) = elementwise(Op::fmax) = elementwise(Op::bitwise_or);
  elementwise(Op::minimum) = elementwise(Op::fmin) = elementwise(Op::bitwise_and);
  reductions(Reduction::max) = reductions(Reduction::any);
  reductions(Reduction::min) = reductions(Reduction::all);
}

}  // namespace
}  // namespace gpuarray::loops

extern "C" void GPUARRAY_FILL(GPUARRAY_LEVEL)(void* table) {
  using namespace gpuarray::loops;
  Loops& loops = *static_cast<Loops*>(table);
  add_integer_loops(loops);
  add_half_loops(loops);
  add_float_loops(loops);
  add_complex_loops(loops);
  add_parts_loops(loops);
  add_casts(loops);
  add_copies(loops);
  add_orders(loops);
  add_integer_reductions(loops);
  add_half_reductions(loops);
  add_float_reductions(loops);
  add_complex_reductions(loops);
  add_integer_scans(loops);
  add_half_scans(loops);
  add_float_scans(loops);
  add_complex_scans(loops);
  share_loops_of_bools(loops);
}
