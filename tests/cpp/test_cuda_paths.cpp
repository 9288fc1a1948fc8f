// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests which path a plan takes, and its parameters up to sizes beyond 2^31.
#include <sys/mman.h>

#include <vector>

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

Path choose(const ElementwisePlan& plan) {
  return paths::choose(paths::operands_of(plan), {.any = true, .tile = true});
}

Path path_of(const Shape& shape, const Strides& from) {
  return choose(copy_plan(DType::float32, shape, contiguous_strides(shape), from));
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

// Returns the path of a large float32 result at `target`.
Path large_path_of(const Shape& shape, const Strides& to, const Strides& from,
                   uintptr_t target = 512) {
  const ElementwisePlan plan = copy_plan(DType::float32, shape, to, from, target);
  return paths::choose(paths::operands_of(plan), {.any = true, .tile = true, .merged = true});
}

void test_rows_that_are_merged() {
  CHECK(path_of({4001, 3}, {1, 0}) == Path::rows);
  CHECK(large_path_of({4001, 3}, {3, 1}, {1, 0}) == Path::merged);
  CHECK(large_path_of({4001, 3}, {3, 1}, {1, 0}, 516) == Path::rows);
  CHECK(large_path_of({4001, 3}, {4, 1}, {1, 0}) == Path::rows);
  CHECK(large_path_of({4001, 4}, {4, 1}, {1, 0}) == Path::rows);
  CHECK(large_path_of({400, 8190}, {8190, 1}, {8192, 1}) == Path::merged);
  CHECK(large_path_of({4096, 4096, 3}, {12288, 3, 1}, {3, 0, 1}) == Path::merged);
  CHECK(large_path_of({5, 7, 9}, {63, 9, 1}, {99, 11, 1}) == Path::rows);
  CHECK(large_path_of({5, 8, 9}, {72, 9, 1}, {99, 11, 1}) == Path::merged);
  CHECK(large_path_of({1 << 10, 3}, {3, 1}, {1 << 22, 1}) == Path::rows);
  CHECK(large_path_of({1 << 30, 3}, {3, 1}, {1, 0}) == Path::rows);
}

// Axes that repeat the inputs vary fastest.
void test_order_of_repeated_axes() {
  const ElementwisePlan plan =
      copy_plan(DType::float32, {2, 100, 3, 64}, {19200, 192, 64, 1}, {0, 64, 0, 1});
  paths::Parameters params;
  paths::fill(params, paths::operands_of(plan), Path::rows);
  const auto& rows = block<RowsParams<2>>(params);
  CHECK(rows.outer.count() == 3 && rows.step(0) == 1);
  CHECK(rows.outer.strides[0][0] == 192 && rows.outer.strides[1][0] == 64);
  CHECK(rows.outer.strides[0][1] == 19200 && rows.outer.strides[0][2] == 64);
  CHECK(rows.outer.extents[1].extent == 2 && rows.outer.extents[2].extent == 3);
}

FlatHead flat_head(const ElementwisePlan& plan) {
  return paths::flat(paths::operands_of(plan)).head;
}

void test_flat_heads() {
  for (int past = 0; past < 8; ++past) {
    FlatHead head = flat_head(copy_plan(DType::float32, {100}, {1}, {1}, 512 + 4 * past, 512));
    CHECK(head.head == (4 - past % 4) % 4 && (head.aligned & 1) == 1);
    CHECK((head.aligned >> 1) == (past % 4 == 0));
    head = flat_head(copy_plan(DType::float32, {100}, {1}, {1}, 512 + 4 * past, 528 + 4 * past));
    CHECK(head.aligned == 3);
  }
  const FlatHead head = flat_head(copy_plan(DType::uint8, {3}, {1}, {1}, 513, 512));
  CHECK(head.head == 3 && head.size == 3);
}

RowsHead rows_head(const ElementwisePlan& plan) {
  return paths::rows(paths::operands_of(plan)).head;
}

void test_vectors_of_rows() {
  const auto vectors = [](const Shape& shape, const Strides& to, const Strides& from,
                          uintptr_t target = 512, uintptr_t source = 512) {
    return rows_head(copy_plan(DType::float32, shape, to, from, target, source)).vectors;
  };
  CHECK(vectors({8, 64}, {64, 1}, {128, 1}) == 3);
  CHECK(vectors({8, 64}, {64, 1}, {129, 1}) == 1);
  CHECK(vectors({8, 64}, {64, 1}, {128, 1}, 512, 516) == 1);
  CHECK(vectors({8, 64}, {64, 1}, {128, 1}, 516) == 0);
  CHECK(vectors({8, 63}, {64, 1}, {128, 1}) == 0);
  CHECK(vectors({8, 64}, {64, 1}, {1, 8}) == 1);
}

void test_long_rows_are_cut() {
  const RowsHead head = rows_head(copy_plan(DType::float32, {5000}, {1}, {2}));
  CHECK(head.vectors == 1 && head.columns == 4 * kRowsBlock && head.rows == 5);
  const RowsHead single = rows_head(copy_plan(DType::float32, {5001}, {1}, {2}));
  CHECK(single.vectors == 0 && single.columns == kRowsBlock && single.rows == 20);
}

void test_turned_operands() {
  ElementwisePlan plan = copy_plan(DType::float32, {64, 96}, {96, 1}, {1, 64});
  plan.add(DType::float32, reinterpret_cast<void*>(512)) = Strides{96, 1};
  const paths::TileWalk walk = paths::tile(paths::operands_of(plan));
  CHECK(walk.turned == 2 && walk.across == 0);
  CHECK(walk.head.columns == 96 && walk.head.across == 64);
  CHECK(walk.head.column_tiles.divisor == 3 && walk.head.across_groups.divisor == 1);
  CHECK(walk.blocks == 3 * 2);
  // There are two tiles across and groups of up to four, but no block is without a tile.
  CHECK(walk.head.log_group == 1);
}

void test_tiles_that_do_not_fit() {
  ElementwisePlan plan = copy_plan(DType::complex128, {64, 96}, {96, 1}, {1, 64});
  plan.add(DType::complex128, reinterpret_cast<void*>(512)) = Strides{1, 64};
  CHECK(choose(plan) == Path::tile);
  plan.add(DType::complex128, reinterpret_cast<void*>(512)) = Strides{96, 1};
  CHECK(choose(plan) == Path::tile);  // an input that is not turned needs no tile
  plan = copy_plan(DType::complex128, {64, 96}, {96, 1}, {1, 64});
  for (int k = 0; k < 2; ++k)
    plan.add(DType::complex128, reinterpret_cast<void*>(512)) = Strides{1, 64};
  CHECK(choose(plan) == Path::rows);
}

// An expression of float32 arrays, the first `outputs` of which are written, over the shape.
struct Text {
  Expression expression;
  ExpressionPlan plan;

  Text(int outputs, const Shape& shape, const std::vector<Strides>& strides)
      : expression(text(), parameters(outputs, strides.size())) {
    plan.shape = shape;
    plan.size = element_count(shape);
    for (const Strides& each : strides) {
      const int k = plan.operand_count++;
      plan.dtypes[k] = DType::float32;
      plan.data[k] = reinterpret_cast<void*>(512);
      plan.strides[k] = each;
    }
  }
  static ExpressionText text() {
    ExpressionText made;
    made.name = "text";
    made.is_ordered = false;
    return made;
  }
  static std::vector<ExpressionParameter> parameters(int outputs, size_t count) {
    std::vector<ExpressionParameter> made;
    for (size_t k = 0; k < count; ++k)
      made.push_back({"x" + std::to_string(k), DType::float32, DType::float32, Role::element,
                      k < static_cast<size_t>(outputs)});
    return made;
  }
  paths::Operands operands() const { return paths::operands_of(expression, plan); }
  Path path(bool tile = true) const {
    return paths::choose(operands(), {.any = false, .tile = tile});
  }
};

void test_expressions() {
  CHECK(Text(1, {1000}, {{1}, {1}, {0}}).path() == Path::flat);
  CHECK(Text(1, {1000}, {{1}, {1}, {0}}).operands().single == 4);
  CHECK(Text(1, {1000}, {{0}, {1}}).path() ==
        Path::rows);  // an operand that is written is never a single element
  CHECK(Text(2, {64, 96}, {{96, 1}, {96, 1}, {1, 64}, {0, 0}}).path() == Path::tile);
  CHECK(Text(1, {64, 96}, {{96, 1}, {1, 64}}).path(false) == Path::rows);
  // An output that is turned is written along its own strides; only inputs go through tiles.
  CHECK(Text(2, {64, 96}, {{96, 1}, {1, 64}, {96, 1}}).path() == Path::rows);
  const Text both(2, {64, 96}, {{96, 1}, {1, 64}, {1, 64}});
  CHECK(both.path() == Path::tile && paths::tile(both.operands()).turned == 4);
  const Text many(1, {64, 96}, {{96, 1}, {1, 64}, {96, 1}, {1, 64}, {0, 1}, {1, 0}});
  CHECK(paths::tile(many.operands()).turned == (2 | 8));
}

void test_expressions_beyond_31_bits() {
  constexpr int64_t kGiga = int64_t{1} << 30;
  const Text long_rows(1, {2 * kGiga, 3}, {{3, 1}, {4, 1}});
  CHECK(long_rows.path() == Path::rows && paths::rows(long_rows.operands()).wide);
  const Text short_rows(1, {kGiga, 3}, {{3, 1}, {4, 1}});
  CHECK(short_rows.path() == Path::rows && !paths::rows(short_rows.operands()).wide);
  CHECK(Text(1, {128 * kGiga, 16}, {{16, 1}, {1, 128 * kGiga}}).path() == Path::rows);
  CHECK(Text(1, Shape(8, 2), {Strides(8, 3), Strides(8, 5)}).path() == Path::rows);
}

// A range of address space, in which memory is allocated only where it is touched.
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

// Tests that the last blocks write the last elements of the result from the last elements of the
// operands, so that no offset is cut to 32 bits.
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
  CHECK(choose(plan) == path);
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
  test_rows_that_are_merged();
  test_order_of_repeated_axes();
  test_flat_heads();
  test_vectors_of_rows();
  test_long_rows_are_cut();
  test_turned_operands();
  test_tiles_that_do_not_fit();
  test_expressions();
  test_expressions_beyond_31_bits();
  test_beyond_31_bits();
  return check_report();
}
