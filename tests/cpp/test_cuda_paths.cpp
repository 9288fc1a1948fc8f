// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests which path a plan takes, and its parameters up to sizes beyond 2^31.
#include <sys/mman.h>

#include "backend/cuda/paths.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels_on_host.hpp"

using namespace gpuarray;

namespace {

// Makes the plan of a copy from strides to strides, over the collapsed shape.
ElementwisePlan copy_plan(DType dtype, const Shape& shape, const Strides& to, const Strides& from,
                          uintptr_t target = 512, uintptr_t source = 512) {
  ElementwisePlan plan;
  plan.shape = shape;
  plan.size = element_count(shape);
  plan.add(dtype, reinterpret_cast<void*>(target)) = to;
  plan.add(dtype, reinterpret_cast<void*>(source)) = from;
  collapse(plan.shape, std::span(plan.strides, 2));
  return plan;
}

Path path_of(const Shape& shape, const Strides& from) {
  return paths::choose(copy_plan(DType::float32, shape, contiguous_strides(shape), from));
}

void test_choices() {
  CHECK(path_of({}, {}) == Path::flat);
  CHECK(path_of({1, 1}, {5, 7}) == Path::flat);
  CHECK(path_of({1000}, {1}) == Path::flat);
  CHECK(path_of({10, 100}, {100, 1}) == Path::flat);
  CHECK(path_of({1000}, {2}) == Path::rows);
  CHECK(path_of({1000}, {-1}) == Path::rows);
  CHECK(path_of({1000}, {0}) == Path::rows);
  CHECK(path_of({64, 64}, {0, 1}) == Path::rows);
  CHECK(path_of({64, 64}, {1, 0}) == Path::rows);
  CHECK(path_of({64, 64}, {128, 1}) == Path::rows);
  CHECK(path_of({64, 64}, {1, 64}) == Path::tile);
  CHECK(path_of({64, 64}, {-1, -64}) == Path::tile);
  CHECK(path_of({64, 4}, {1, 64}) == Path::rows);
  CHECK(path_of({4, 64}, {1, 4}) == Path::rows);
  CHECK(path_of({20, 30, 40}, {1, 20, 600}) == Path::tile);
  CHECK(path_of({20, 30, 40}, {40, 800, 1}) == Path::rows);
  CHECK(path_of(Shape(7, 2), {1, 2, 4, 8, 16, 32, 64}) == Path::any);
  CHECK(path_of(Shape(6, 2), {1, 2, 4, 8, 16, 32}) == Path::rows);
}

void test_flat_heads() {
  for (int past = 0; past < 8; ++past) {
    FlatParams<2> params;
    paths::fill(params, copy_plan(DType::float32, {100}, {1}, {1}, 512 + 4 * past, 512));
    CHECK(params.head == (4 - past % 4) % 4 && (params.aligned & 1) == 1);
    CHECK((params.aligned >> 1) == (past % 4 == 0));
    paths::fill(params, copy_plan(DType::float32, {100}, {1}, {1}, 512 + 4 * past, 528 + 4 * past));
    CHECK(params.aligned == 3);
  }
  FlatParams<2> params;
  paths::fill(params, copy_plan(DType::uint8, {3}, {1}, {1}, 513, 512));
  CHECK(params.head == 3 && params.size == 3);
}

void test_vectors_of_rows() {
  RowsParams<2> params;
  paths::fill(params, copy_plan(DType::float32, {8, 64}, {64, 1}, {128, 1}));
  CHECK(params.vectors == 3);
  paths::fill(params, copy_plan(DType::float32, {8, 64}, {64, 1}, {129, 1}));
  CHECK(params.vectors == 1);
  paths::fill(params, copy_plan(DType::float32, {8, 64}, {64, 1}, {128, 1}, 512, 516));
  CHECK(params.vectors == 1);
  paths::fill(params, copy_plan(DType::float32, {8, 64}, {64, 1}, {128, 1}, 516));
  CHECK((params.vectors & 1) == 0);
  paths::fill(params, copy_plan(DType::float32, {8, 63}, {64, 1}, {128, 1}));
  CHECK((params.vectors & 1) == 0);
  paths::fill(params, copy_plan(DType::float32, {8, 64}, {64, 1}, {1, 8}));
  CHECK(params.vectors == 1);
}

void test_turned_operands() {
  ElementwisePlan plan = copy_plan(DType::float32, {64, 96}, {96, 1}, {1, 64});
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = Strides{96, 1};
  TileParams<3> params;
  const LaunchShape shape = paths::fill(params, plan);
  CHECK(params.turned == 2 && params.columns == 96 && params.across == 64);
  CHECK(params.column_tiles.divisor == 3 && params.across_groups.divisor == 1);
  CHECK(shape.grid[0] == 3 * 2 && shape.block[0] == kTileBlock);
  // Two tiles across, in groups of up to four; no block is without a tile.
  CHECK(params.log_group == 1);
}

void test_tiles_that_do_not_fit() {
  ElementwisePlan plan = copy_plan(DType::complex128, {64, 96}, {96, 1}, {1, 64});
  plan.add(DType::complex128, reinterpret_cast<void*>(512)) = Strides{96, 1};
  CHECK(paths::choose(plan) == Path::tile);
  plan.add(DType::complex128, reinterpret_cast<void*>(512)) = Strides{1, 64};
  CHECK(paths::choose(plan) == Path::rows);
}

// Reserves address space; memory is allocated only where it is touched.
struct Vast {
  unsigned char* data;
  size_t size;

  explicit Vast(size_t bytes) : size(bytes) {
    void* made = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data = made == MAP_FAILED ? nullptr : static_cast<unsigned char*>(made);
  }
  ~Vast() {
    if (data != nullptr) munmap(data, size);
  }
};

// The last blocks write the last elements of the result from the last operands; no offset is cut to
// 32 bits.
void check_end(Path path, const Shape& shape, const Strides& from) {
  const Strides to = contiguous_strides(shape);
  Vast target(element_count(shape)), source(byte_extent(shape, from, 1).end);
  if (target.data == nullptr || source.data == nullptr) {
    std::printf("skipped: no address space for shape %s\n", to_string(shape).c_str());
    return;
  }
  const ElementwisePlan plan =
      copy_plan(DType::uint8, shape, to, from, reinterpret_cast<uintptr_t>(target.data),
                reinterpret_cast<uintptr_t>(source.data));
  CHECK(paths::choose(plan) == path);
  const int64_t size = plan.size;
  for (int64_t i = size - 20; i < size; ++i)
    source.data[offset_at(i, shape, from)] = static_cast<unsigned char>(i % 251);
  run_path<uint8_t, uint8_t>(path, plan, 8);
  bool same = true;
  for (int64_t i = size - 20; i < size; ++i)
    same = same && target.data[i] == Mix<uint8_t>::apply(source.data[offset_at(i, shape, from)]);
  CHECK(same);
}

void test_beyond_31_bits() {
  constexpr int64_t kGiga = int64_t{1} << 30;
  check_end(Path::flat, {4 * kGiga}, {1});
  check_end(Path::flat, {4 * kGiga + 13}, {1});
  check_end(Path::rows, {4 * kGiga + 13}, {2});
  check_end(Path::rows, {3, 2 * kGiga}, {2 * kGiga + 16, 1});
  check_end(Path::rows, {3, 2 * kGiga + 5}, {0, 1});
  check_end(Path::rows, {kGiga, 3}, {4, 1});
  check_end(Path::rows, {kGiga, 4}, {1, 0});
  check_end(Path::tile, {1 << 20, 1 << 13}, {1, 1 << 20});
  check_end(Path::tile, {1 << 13, (1 << 20) + 3}, {1, 1 << 13});
  check_end(Path::tile, {3, 1 << 16, 1 << 15}, {int64_t{1} << 31, 1, 1 << 16});
  CHECK(path_of({2 * kGiga, 3}, {4, 1}) == Path::any);
  CHECK(path_of({4 * kGiga, 3}, {4, 1}) == Path::any);
  CHECK(path_of({kGiga, 2, 3}, {8, 4, 1}) == Path::any);
  CHECK(path_of({128 * kGiga, 16}, {1, 128 * kGiga}) == Path::any);
}

}  // namespace

int main() {
  test_choices();
  test_flat_heads();
  test_vectors_of_rows();
  test_turned_operands();
  test_tiles_that_do_not_fit();
  test_beyond_31_bits();
  return check_report();
}
