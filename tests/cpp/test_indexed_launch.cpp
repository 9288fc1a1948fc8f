// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/indexed_launch.hpp"

#include <vector>

#include "check.hpp"
#include "core/layout.hpp"

using namespace gpuarray;

namespace {

char* at(uintptr_t address) { return reinterpret_cast<char*>(address); }

// Makes the plan of take() along the middle axis of a dense array of shape (outer, extent, inner),
// by `count` indices.
IndexedPlan taking(DType dtype, int64_t outer, int64_t extent, int64_t inner, int64_t count,
                   uintptr_t array = 256, uintptr_t values = 256, uintptr_t index = 256) {
  IndexedPlan plan;
  plan.operation = "take";
  plan.dtype = dtype;
  plan.index_dtype = DType::int64;
  plan.shape = {outer, count, inner};
  plan.array = at(array);
  plan.array_strides = {extent * inner, 0, 1};
  plan.values = at(values);
  plan.values_strides = contiguous_strides(plan.shape);
  plan.axes = {{at(index), {0, 1, 0}, extent, inner, 1}};
  return plan;
}

// Makes the plan of take_along_axis() along one axis of an array of shape (rows, columns) by
// (rows, count) or (count, columns) indices.
IndexedPlan taking_along(DType dtype, bool last, int64_t rows, int64_t columns, int64_t count,
                         uintptr_t values = 256, uintptr_t index = 256) {
  IndexedPlan plan = taking(dtype, rows, columns, 1, count, 256, values, index);
  plan.shape = last ? Shape{rows, count} : Shape{count, columns};
  plan.array_strides = last ? Strides{columns, 0} : Strides{0, 1};
  plan.values_strides = contiguous_strides(plan.shape);
  plan.axes[0].strides = plan.values_strides;
  plan.axes[0].length = last ? columns : rows;
  plan.axes[0].step = last ? 1 : columns;
  return plan;
}

void test_words() {
  CHECK(plan_rows(taking(DType::float32, 1, 100, 64, 10), true)->word == 16);
  CHECK(plan_rows(taking(DType::float32, 1, 100, 64, 10), false)->word == 4);
  CHECK(plan_rows(taking(DType::float32, 1, 100, 6, 10), true)->word == 8);
  CHECK(plan_rows(taking(DType::uint8, 3, 100, 7, 10), true)->word == 1);
  CHECK(plan_rows(taking(DType::float32, 1, 100, 64, 10, 260), true)->word == 4);
  CHECK(plan_rows(taking(DType::float32, 1, 100, 64, 10, 256, 264), true)->word == 8);
  const std::optional<RowsPlan> rows = plan_rows(taking(DType::float32, 5, 100, 64, 10), true);
  CHECK(rows->row == 16 && rows->step == 16 && rows->array_plane == 1600);
  CHECK(rows->planes == 5 && rows->indices == 10 && rows->value_step == 1);
  CHECK(rows->index_plane == 0 && rows->array_step == 0);
  const auto last = plan_rows(taking_along(DType::float32, true, 5, 100, 10), true);
  CHECK(last->planes == 5 && last->indices == 10 && last->row == 1 && last->word == 4);
  CHECK(last->index_plane == 10 && last->array_plane == 100 && last->array_step == 0);
  const auto first = plan_rows(taking_along(DType::float32, false, 100, 5, 10), true);
  CHECK(first->planes == 10 && first->indices == 5 && first->row == 1 && first->step == 5);
  CHECK(first->index_plane == 5 && first->array_plane == 0 && first->array_step == 1);
}

void test_plans_that_are_no_rows() {
  IndexedPlan plan = taking(DType::float32, 2, 10, 4, 3);
  plan.array_strides[2] = 2;
  CHECK(!plan_rows(plan, true));
  plan = taking(DType::float32, 2, 10, 4, 3);
  plan.axes[0].strides[0] = 3;
  CHECK(!plan_rows(plan, true));
  plan = taking(DType::float32, 2, 10, 4, 3);
  plan.values_strides[0] = 100;
  CHECK(!plan_rows(plan, true));
  plan.values_strides = {0, 0, 0};
  CHECK(plan_rows(plan, true)->value_step == 0 && plan_rows(plan, true)->word == 4);
}

// Tests that every word of the values belongs to one thread, with the right row and plane.
void check_cover(const IndexedPlan& plan) {
  const RowsPlan rows = *plan_rows(plan, true);
  std::vector<int> seen(static_cast<size_t>(rows.planes * rows.indices * rows.row), 0);
  bool right = true;
  for_each_launch(rows, IndexAxis{}, true, [&](const IndexedRowsParams& p, int64_t blocks) {
    const int64_t width = p.vectors ? 16 / rows.word : 1;
    const int64_t of_thread = p.vectors ? std::max<int64_t>(kIndexedLoads, width) : kIndexedRounds;
    right = right && blocks * kIndexedBlock * of_thread >= p.size && p.size % width == 0;
    if (p.vectors)
      right = right && reinterpret_cast<uintptr_t>(p.values) % 16 == 0 &&
              reinterpret_cast<uintptr_t>(p.index) % 16 == 0 && p.plane.divisor % width == 0;
    for (uint32_t word = 0; word < p.size; ++word) {
      const uint32_t plane = p.plane.divide(word);
      const uint32_t row = p.row.divide(word - plane * p.plane.divisor);
      const int64_t place =
          (static_cast<char*>(p.values) - rows.values) / rows.word + int64_t{word};
      const int64_t index = (static_cast<const char*>(p.index) - rows.index) / rows.index_size +
                            plane * p.index_plane + row;
      const int64_t of_array = (static_cast<char*>(p.array) - rows.array) / rows.word +
                               plane * p.array_plane + row * p.array_step;
      const int64_t of_plane = place / rows.row % rows.indices;
      const int64_t number = place / (rows.row * rows.indices);
      right = right && index == number * rows.index_plane + of_plane &&
              of_array == number * rows.array_plane + of_plane * rows.array_step;
      ++seen[static_cast<size_t>(place)];
    }
  });
  for (int times : seen) right = right && times == 1;
  CHECK(right);
}

void test_cover() {
  for (int64_t count : {1, 3, 4, 8, 1000, 1001, 5000})
    for (int64_t outer : {1, 7})
      for (int64_t inner : {1, 3, 16}) {
        check_cover(taking(DType::float32, outer, 50, inner, count));
        check_cover(taking(DType::uint8, outer, 50, inner, count));
        check_cover(taking(DType::complex128, outer, 50, inner, count));
        check_cover(taking(DType::float32, outer, 50, inner, count, 256, 260));
        check_cover(taking(DType::float32, outer, 50, inner, count, 256, 256, 264));
      }
}

void test_cover_of_indices_for_each_word() {
  for (int64_t count : {1, 3, 4, 8, 1000, 1001})
    for (bool last : {true, false})
      for (DType dtype : {DType::float32, DType::uint8, DType::complex128}) {
        check_cover(taking_along(dtype, last, 7, 5, count));
        check_cover(taking_along(dtype, last, 16, 8, count));
        check_cover(taking_along(dtype, last, 8, 16, count, 256, 264));
      }
}

void test_large_plans_are_cut() {
  for (const IndexedPlan& plan : {taking(DType::uint8, 1, 9, 1, (int64_t{5} << 30) + 3),
                                  taking(DType::uint8, 1 << 12, 9, 1, 1 << 21),
                                  taking_along(DType::uint8, true, 1 << 12, 9, 1 << 21),
                                  taking(DType::float64, 3, 9, 5, int64_t{1} << 30)}) {
    const RowsPlan rows = *plan_rows(plan, true);
    int64_t words = 0;
    bool right = true;
    for_each_launch(rows, IndexAxis{}, true, [&](const IndexedRowsParams& p, int64_t blocks) {
      words += p.size;
      right = right && p.size <= kMostIndexedWords && blocks < int64_t{1} << 31;
      right = right && p.size % p.row.divisor == 0;
    });
    CHECK(right && words == rows.planes * rows.indices * rows.row);
  }
}

}  // namespace

int main() {
  test_words();
  test_plans_that_are_no_rows();
  test_cover();
  test_cover_of_indices_for_each_word();
  test_large_plans_are_cut();
  return check_report();
}
