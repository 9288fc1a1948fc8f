// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/loops/rows.hpp"
#include "kernels/element/functors.cuh"

namespace gpuarray::loops {
namespace {

template <class T>
void add_loops_of_parts(Loops& loops, DType dtype) {
  const auto set = [&](Op op, RowLoop loop) {
    loops.elementwise[static_cast<int>(op)][static_cast<int>(dtype)] = loop;
  };
  set(Op::absolute, parts_row<hypot_functor<T>, T>);
  set(Op::angle, parts_row<arctan2_functor<T>, T>);
}

}  // namespace

void add_parts_loops(Loops& loops) {
  add_loops_of_parts<float>(loops, DType::complex64);
  add_loops_of_parts<double>(loops, DType::complex128);
}

}  // namespace gpuarray::loops
