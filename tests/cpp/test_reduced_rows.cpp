// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests how threads take the rows of expressions that reduce them.
#include "backend/cuda/paths.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"

using namespace gpuarray;

namespace {

paths::ReducedRowsWalk walk_of(DType dtype, int64_t rows, int64_t columns, uintptr_t source = 512,
                               int64_t step = 0) {
  ElementwisePlan plan;
  plan.shape = {rows, columns};
  plan.size = rows * columns;
  plan.add(dtype, reinterpret_cast<void*>(512)) = {columns, 1};
  plan.add(dtype, reinterpret_cast<void*>(source)) = {step > 0 ? step : columns, 1};
  return paths::reduced_rows(paths::operands_of(plan), 0b10);
}

void test_rows_of_usual_length() {
  const auto [head, variant, launch] = walk_of(DType::float32, 1 << 14, 4096);
  CHECK(head.columns == 4096 && head.rows == 1 << 14 && head.blocks == 1 << 14);
  CHECK(variant.vectors && variant.vector_operands == 0b11 && variant.held && !variant.wide);
  CHECK(variant.lanes == 256 && variant.rounds == 4);
}

void test_short_rows_share_a_block() {
  const auto [head, variant, launch] = walk_of(DType::float32, 1000, 32);
  CHECK(variant.lanes == 8 && variant.rounds == 1 && variant.held);
  CHECK(head.blocks == 32);
  CHECK(walk_of(DType::float32, 1000, 1).variant.lanes == 1);
  CHECK(walk_of(DType::float32, 1000, 31).variant.lanes == 32);
}

void test_rows_that_are_not_aligned() {
  const auto variant = walk_of(DType::float32, 100, 1001).variant;
  CHECK(!variant.vectors && variant.held && variant.lanes * variant.rounds >= 1001);
  CHECK(walk_of(DType::float32, 100, 1000, 516).variant.vector_operands == 0b01);
  CHECK(walk_of(DType::float32, 100, 1000, 512, 1001).variant.vector_operands == 0b01);
}

void test_all_lengths_are_covered() {
  for (DType dtype : {DType::int8, DType::float16, DType::float32, DType::complex128})
    for (int64_t columns = 1; columns < 100000; columns += 1 + columns / 7) {
      const auto [head, variant, launch] = walk_of(dtype, 1000, columns);
      const int64_t width = variant.vectors ? 16 / itemsize(dtype) : 1;
      const int64_t share = variant.rounds * width * itemsize(dtype);
      CHECK(!variant.held || variant.lanes * variant.rounds * width >= columns);
      CHECK(variant.lanes <= kReducedRowsMostLanes && share <= kReducedRowsHeld);
      CHECK((variant.lanes & (variant.lanes - 1)) == 0);
    }
  CHECK(walk_of(DType::float32, 1000, 1 << 15).variant.held);
  CHECK(!walk_of(DType::float32, 1000, (1 << 15) + 4).variant.held);
}

void test_rows_beyond_31_bits() {
  CHECK(walk_of(DType::float32, int64_t{1} << 33, 4).variant.wide);
}

}  // namespace

int main() {
  test_rows_of_usual_length();
  test_short_rows_share_a_block();
  test_rows_that_are_not_aligned();
  test_all_lengths_are_covered();
  test_rows_beyond_31_bits();
  return check_report();
}
