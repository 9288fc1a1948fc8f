// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/scan_launch.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels/tuning.hpp"

using namespace gpuarray;

namespace {

// Makes the plan for a dense C-contiguous float32 array at `address`, scanned along `axis`.
ScanPlan dense(const Shape& shape, int axis, uintptr_t address = 256) {
  ScanPlan plan;
  plan.source = plan.target = reinterpret_cast<void*>(address);
  plan.length = shape[axis];
  plan.kept = shape;
  Strides strides = contiguous_strides(shape);
  plan.source_step = plan.target_step = strides[axis];
  plan.kept.erase(axis);
  strides.erase(axis);
  Strides both[] = {strides, strides};
  collapse(plan.kept, both);
  plan.source_strides = both[0];
  plan.target_strides = both[1];
  return plan;
}

ScanLaunch launch_of(const ScanPlan& plan, int source_size = 4, int target_size = 4) {
  return plan_scan(plan, source_size, target_size);
}

void test_paths() {
  CHECK(launch_of(dense({1 << 20}, 0)).path == ScanPath::rows);
  CHECK(launch_of(dense({100, 64}, 1)).path == ScanPath::rows);
  CHECK(launch_of(dense({100, 1 << 14}, 0)).path == ScanPath::columns);
  CHECK(launch_of(dense({64, 128}, 0)).path == ScanPath::columns);
  CHECK(launch_of(dense({64, 128}, 0, 260)).path == ScanPath::single_columns);
  CHECK(launch_of(dense({64, 129}, 0)).path == ScanPath::single_columns);
  CHECK(launch_of(dense({1 << 20, 128}, 0)).path == ScanPath::rows);  // there are too few columns
  CHECK(launch_of(dense({1 << 20, 3}, 0)).path == ScanPath::rows);
  CHECK(launch_of(dense({8, 1 << 14}, 0)).path == ScanPath::rows);  // the columns are too short
}

void test_vectors() {
  CHECK(launch_of(dense({1 << 20}, 0)).params.vectors == 3);
  CHECK(launch_of(dense({1 << 20}, 0, 260)).params.vectors == 0);
  CHECK(launch_of(dense({3, 1 << 10}, 1)).params.vectors == 3);
  CHECK(launch_of(dense({3, 1001}, 1)).params.vectors == 0);
  CHECK(launch_of(dense({100, 64}, 1, 264), 4, 8).params.vectors == 1);  // loads of two elements
  ScanPlan made_by_kernel = dense({1 << 20}, 0);
  made_by_kernel.source = nullptr;
  CHECK(launch_of(made_by_kernel).params.vectors == 2);
}

// Tests that every element of every row belongs to some thread, and that no block is idle.
void test_rows_are_covered() {
  for (int64_t length : {1, 3, 16, 17, 100, 513, 4096, 4097, 131073}) {
    for (int64_t rows : {1, 5, 1000}) {
      const ScanLaunch launch = launch_of(dense({rows, length}, 1));
      const ScanParams& p = launch.params;
      const int64_t items = 4 * kScanRounds * int64_t{p.lanes};  // elements of a row in a tile
      CHECK(items * p.tiles >= length && items * (p.tiles - 1) < length);
      CHECK(p.tiles == 1 || p.lanes == kScanBlock);
      const int64_t rows_of_block = kScanBlock / p.lanes;
      CHECK(p.row_blocks * rows_of_block >= rows && (p.row_blocks - 1) * rows_of_block < rows);
      CHECK(launch.grid == p.row_blocks * p.tiles);
      CHECK((launch.slots > 0) == (p.tiles > 1));
    }
  }
}

void test_columns_are_covered() {
  for (int64_t length : {17, 64, 65, 5000}) {
    for (int64_t columns : {4096, 4100, 10000}) {
      const ScanLaunch launch = launch_of(dense({3, length, columns}, 1));
      const ScanParams& p = launch.params;
      CHECK(launch.path == ScanPath::columns && p.columns == columns && p.rows == 3);
      CHECK(p.column_blocks * 128 >= columns && (p.column_blocks - 1) * 128 < columns);
      CHECK(p.row_blocks == 3 * p.column_blocks);
      CHECK(p.tiles == (length + 63) / 64);
      CHECK(launch.slots == (p.tiles > 1 ? int64_t{launch.grid} * 128 : 0));
    }
  }
}

}  // namespace

int main() {
  test_paths();
  test_vectors();
  test_rows_are_covered();
  test_columns_are_covered();
  return check_report();
}
