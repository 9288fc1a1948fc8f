// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <bit>

#include "backend/reduce_launch.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"

using namespace gpuarray;

namespace {

constexpr int kMultiprocessors = 132;

// Makes the plan for a dense C-contiguous source at `address`, reduced over the axes that `reduced`
// marks.
ReducePlan dense(const Shape& shape, std::initializer_list<bool> reduced, uintptr_t address = 256) {
  ReducePlan plan;
  plan.source_dtype = DType::float32;
  plan.source = reinterpret_cast<const void*>(address);
  const Strides strides = contiguous_strides(shape);
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool is_reduced = reduced.begin()[axis];
    (is_reduced ? plan.reduced : plan.kept).push_back(shape[axis]);
    (is_reduced ? plan.reduced_strides : plan.kept_strides).push_back(strides[axis]);
  }
  plan.target_strides = contiguous_strides(plan.kept);
  collapse(plan.reduced, std::span(&plan.reduced_strides, 1));
  Strides kept[] = {plan.kept_strides, plan.target_strides};
  collapse(plan.kept, kept);
  plan.kept_strides = kept[0];
  plan.target_strides = kept[1];
  return plan;
}

ReduceLaunch launch_of(const ReducePlan& plan, int itemsize = 4) {
  return plan_reduction(plan, itemsize, kMultiprocessors);
}

void test_paths() {
  CHECK(launch_of(dense({1 << 20}, {true})).params.path == ReducePath::rows);
  CHECK(launch_of(dense({1 << 20}, {true}, 260)).params.path == ReducePath::rows);
  CHECK(launch_of(dense({100, 64}, {false, true})).params.path == ReducePath::rows);
  CHECK(launch_of(dense({100, 64}, {true, false})).params.path == ReducePath::columns);
  CHECK(launch_of(dense({8, 100, 64}, {false, true, false})).params.path == ReducePath::columns);
  CHECK(launch_of(dense({100, 64}, {true, false}, 260)).params.path == ReducePath::general);
  CHECK(launch_of(dense({100, 63}, {true, false})).params.path == ReducePath::general);
  CHECK(launch_of(dense({100, 2}, {true, false}), 8).params.path == ReducePath::columns);
  CHECK(launch_of(dense({100, 4}, {true, false}, 4), 1).params.path == ReducePath::columns);
}

void test_small_arrays_need_one_launch() {
  for (int64_t count : {1, 16, 1000, kReduceOneLaunch}) {
    const ReduceLaunch launch = launch_of(dense({count}, {true}));
    CHECK(launch.params.chunks == 1 && launch.grid == 1);
  }
  CHECK(launch_of(dense({4, 1 << 12}, {true, false})).params.chunks == 1);
  CHECK(launch_of(dense({0}, {true})).grid == 1);
  CHECK(launch_of(dense({3, 0}, {false, true})).params.chunks == 1);
}

void test_large_arrays_fill_the_device() {
  const ReducePlan plans[] = {dense({1 << 28}, {true}), dense({1 << 14, 1 << 14}, {true, false}),
                              dense({1 << 14, 1 << 14}, {false, true}),
                              dense({64, 4096, 1024}, {false, true, false}),
                              dense({1 << 26, 4}, {true, false})};
  for (const ReducePlan& plan : plans)
    CHECK(launch_of(plan).grid >= kMultiprocessors * kReduceResidentBlocks * 9 / 10);
}

// Tests that every element is in one chunk and every unit in one block, and that no thread walks
// too far.
void check_cover(const ReducePlan& plan, int itemsize) {
  const ReduceLaunch launch = launch_of(plan, itemsize);
  const ReduceParams& params = launch.params;
  CHECK(std::has_single_bit(params.lanes) && std::has_single_bit(params.adjacent));
  CHECK(std::has_single_bit(params.span) && params.span <= params.lanes);
  CHECK(params.lanes * params.adjacent <= launch.block);
  CHECK(params.chunk_size * params.chunks >= params.count);
  CHECK(params.chunk_size * (params.chunks - 1) < std::max<int64_t>(params.count, 1));
  CHECK(params.chunk_size <= int64_t{params.lanes} * kReduceLongestWalk);
  CHECK(int64_t{params.unit_blocks} * (launch.block / params.lanes) >= params.units);
  CHECK(launch.grid == params.unit_blocks * params.chunks);
  const ReduceLaunch finish = plan_finish(launch);
  CHECK(finish.params.chunks == 1 && finish.params.count == params.chunks);
  CHECK(finish.grid == finish.params.unit_blocks && finish.params.units == params.outputs);
}

void test_launches_cover_the_array() {
  for (int64_t rows : {1, 3, 100, 4097, 1 << 20})
    for (int64_t columns : {1, 4, 33, 1024, 70000})
      for (int itemsize : {1, 2, 4, 8, 16})
        for (uintptr_t address : {256, 272, 304}) {
          check_cover(dense({rows, columns}, {true, false}, address), itemsize);
          check_cover(dense({rows, columns}, {false, true}, address), itemsize);
          check_cover(dense({rows, columns}, {true, true}, address), itemsize);
          check_cover(dense({rows, columns}, {false, false}, address), itemsize);
        }
  check_cover(dense({int64_t{1} << 36}, {true}), 1);
}

// Returns whether rows of `length` have a kernel of their own.
bool are_short(const ReducePlan& plan, int itemsize = 4) {
  return plan_short_rows(launch_of(plan, itemsize), itemsize).has_value();
}

void test_which_rows_are_short() {
  const int64_t many = 1 << 20;
  for (int64_t length : {2, 3, 8, 12, 15, 17, 31})
    CHECK(are_short(dense({many, length}, {false, true})));
  CHECK(are_short(dense({4, many, 3}, {false, false, true})));
  CHECK(are_short(dense({many, 2, 3}, {false, true, true})));
  CHECK(are_short(dense({many, 64}, {false, true}, 258), 2));
  CHECK(are_short(dense({many, 16}, {false, true}, 260)));
  CHECK(are_short(dense({many, 16}, {false, true})));
  CHECK(are_short(dense({many, 64}, {false, true}), 1));
  CHECK(!are_short(dense({many, 1}, {false, true})));
  CHECK(!are_short(dense({many, 33}, {false, true})));  // two threads a row
  CHECK(!are_short(dense({many, 65}, {false, true}), 1));
  CHECK(!are_short(dense({many / 4, 3}, {false, true})));  // too few elements
  CHECK(!are_short(dense({many / 8, 8}, {false, true})));  // too few rows for a thread each
  CHECK(!are_short(dense({3, many}, {true, false})));
  CHECK(!are_short(dense({many, 2, 3}, {false, true, false})));
  ReducePlan apart = dense({many, 3}, {false, true});
  apart.kept_strides[0] = 4;
  CHECK(!are_short(apart));
  ReducePlan results_apart = dense({many, 3}, {false, true});
  results_apart.target_strides[0] = 2;
  CHECK(!are_short(results_apart));
}

void test_tiles_of_short_rows() {
  for (int itemsize : {1, 2, 4, 8, 16})
    for (int64_t length = 2; length <= kShortRowsLength; ++length)
      for (int64_t rows : {1 << 20, (1 << 20) + 1}) {
        const ReducePlan plan = dense({rows, length}, {false, true}, 256 + itemsize);
        const auto launch = plan_short_rows(launch_of(plan, itemsize), itemsize);
        if (!launch) continue;
        const ShortRowsParams& params = launch->params;
        const int64_t bytes = int64_t{params.tile_rows} * length * itemsize;
        CHECK(bytes % 16 == 0 && bytes <= kShortRowsTile && bytes > kShortRowsTile / 2);
        CHECK(params.rows == rows && params.length == length && params.source == plan.source);
        CHECK(int64_t{launch->grid} * params.tile_rows >= rows);
        CHECK((int64_t{launch->grid} - 1) * params.tile_rows < rows);
        CHECK(launch->is_aligned == (itemsize == 16));
      }
}

}  // namespace

int main() {
  test_paths();
  test_small_arrays_need_one_launch();
  test_large_arrays_fill_the_device();
  test_launches_cover_the_array();
  test_which_rows_are_short();
  test_tiles_of_short_rows();
  return check_report();
}
