// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <limits>

#include "check.hpp"
#include "core/dtype.hpp"
#include "core/error.hpp"
#include "core/gpu_archs.hpp"
#include "core/layout.hpp"
#include "core/op.hpp"

using namespace gpuarray;

namespace {

void test_dtypes() {
  CHECK(itemsize(DType::bool_) == 1 && itemsize(DType::bfloat16) == 2);
  CHECK(itemsize(DType::complex128) == 16);
  CHECK(dtype_from_name("float16") == DType::float16 && dtype_from_name("bool") == DType::bool_);
  CHECK(!dtype_from_name("float128"));
  CHECK(real_dtype(DType::complex64) == DType::float32);
}

void test_promotion() {
  CHECK(promote(DType::int8, DType::uint8) == DType::int16);
  CHECK(promote(DType::int64, DType::uint64) == DType::float64);
  CHECK(promote(DType::int16, DType::float16) == DType::float32);
  CHECK(promote(DType::bfloat16, DType::float16) == DType::float32);
  CHECK(promote(DType::int32, DType::complex64) == DType::complex128);
  CHECK(promote_weak(DType::bool_, 'i') == DType::int64);
  CHECK(promote_weak(DType::float32, 'c') == DType::complex64);
  CHECK(promote_weak(DType::int8, 'f') == DType::float64);
  for (int a = 0; a < kDTypeCount; ++a)
    for (int b = 0; b < kDTypeCount; ++b)
      CHECK(promote(DType(a), DType(b)) == promote(DType(b), DType(a)));
  CHECK(!can_cast(DType::int64, DType::uint64, Casting::same_kind));
  CHECK(can_cast(DType::float64, DType::float16, Casting::same_kind));
}

void test_element_count() {
  CHECK(element_count({}) == 1 && element_count({3, 4}) == 12 && element_count({3, 0}) == 0);
  CHECK(throws<ValueError>([] { element_count({3, -1}); }));
  CHECK(throws<ValueError>([] { element_count({int64_t{1} << 40, int64_t{1} << 40}); }));
  CHECK(element_count({(int64_t{1} << 60) - 1}, 8) == (int64_t{1} << 60) - 1);
  CHECK(throws<ValueError>([] { element_count({int64_t{1} << 60}, 8); }));
  CHECK(throws<ValueError>([] { element_count({int64_t{1} << 60, 0}, 8); }));
}

void test_strides() {
  CHECK(contiguous_strides({2, 3, 4}) == Strides({12, 4, 1}));
  CHECK(contiguous_strides({2, 3, 4}, 'F') == Strides({1, 2, 6}));
  CHECK(keep_order_strides({2, 3}, {1, 2}) == Strides({1, 2}));
  CHECK(keep_order_strides({2, 3, 4}, {-1, 8, 2}) == Strides({1, 8, 2}));
  const Strides c{3, 1}, f{1, 2}, column{1, 0};
  CHECK(common_order_strides({2, 3}, std::array{f, f}) == f);
  CHECK(common_order_strides({2, 3}, std::array{f, c}) == c);
  CHECK(common_order_strides({2, 3}, std::array{f, column}) == f);
  CHECK(common_order_strides({2, 3}, std::array{column}) == c);
  CHECK(is_c_contiguous({2, 1, 3}, {3, 77, 1}) && !is_c_contiguous({2, 3}, {1, 2}));
  CHECK(is_f_contiguous({2, 3}, {1, 2}) && is_c_contiguous({0, 3}, {5, 5}));
}

void test_broadcast() {
  Shape shapes[] = {{3, 1}, {4}, {1, 1, 1}};
  CHECK(broadcast_shapes(shapes, "add") == Shape({1, 3, 4}));
  Shape wrong[] = {{3, 4}, {5}};
  CHECK(throws<ShapeError>([&] { broadcast_shapes(wrong, "add"); }));
  CHECK(broadcast_strides({3, 1}, {1, 1}, {2, 3, 4}) == Strides({0, 1, 0}));
}

void test_collapse() {
  Shape shape{2, 3, 4};
  Strides dense[] = {{12, 4, 1}, {12, 4, 1}};
  collapse(shape, dense);
  CHECK(shape == Shape({24}) && dense[1] == Strides({1}));
  Shape transposed{3, 2};
  Strides strides[] = {{1, 3}};
  collapse(transposed, strides);
  CHECK(transposed == Shape({6}) && strides[0] == Strides({1}));
  Shape broadcast{5, 7};
  Strides rows[] = {{7, 1}, {0, 1}};
  collapse(broadcast, rows);
  CHECK(broadcast == Shape({5, 7}));
  Shape ones{1, 1};
  Strides one[] = {{9, 9}};
  collapse(ones, one);
  CHECK(ones.empty());
}

void test_reshape() {
  CHECK(reshape_strides({2, 3}, {3, 1}, {6}) == Strides({1}));
  CHECK(reshape_strides({4, 6}, {12, 2}, {2, 2, 6}) == Strides({24, 12, 2}));
  CHECK(!reshape_strides({2, 3}, {1, 2}, {6}));
  CHECK(reshape_strides({2, 3}, {1, 2}, {2, 1, 3}).has_value());
  CHECK(reshape_strides({0, 3}, {3, 1}, {5, 0}).has_value());
}

void test_extent() {
  Extent extent = byte_extent({3, 2}, {-4, 1}, 8);
  CHECK(extent.begin == -64 && extent.end == 16);
  CHECK(byte_extent({0}, {1}, 8).end == 0);
}

void test_resolve() {
  CHECK(resolve(Op::add, DType::int8).result == DType::int8);
  CHECK(resolve(Op::divide, DType::int8).loop == DType::float64);
  CHECK(resolve(Op::exp, DType::int16).loop == DType::float32);
  CHECK(resolve(Op::floor_divide, DType::bool_).loop == DType::int8);
  CHECK(resolve(Op::absolute, DType::complex64).result == DType::float32);
  CHECK(resolve(Op::less, DType::float64).result == DType::bool_);
  CHECK(throws<TypeError>([] { resolve(Op::subtract, DType::bool_); }));
  CHECK(throws<TypeError>([] { resolve(Op::bitwise_and, DType::float32); }));
  CHECK(throws<AxisError>([] { normalize_axis(2, 2); }) && normalize_axis(-1, 3) == 2);
}

void test_code_that_a_device_runs() {
  const char* all = "75-virtual,80,90,100,120";
  CHECK(runs_code_from(90, all, 90) && runs_code_from(90, all, 103) &&
        runs_code_from(90, all, 121));
  CHECK(!runs_code_from(90, all, 110));  // which has the PTX of 75 alone
  CHECK(!runs_code_from(90, all, 86) && runs_code_from(75, all, 86) && runs_code_from(80, all, 86));
  CHECK(!runs_code_from(90, "75-virtual,80,90", 100) && runs_code_from(90, "90-virtual,90", 100));
  CHECK(runs_code_from(90, "90a", 90) && !runs_code_from(90, "100a", 103));
  CHECK(runs_code_from(90, "100f", 103) && !runs_code_from(90, "103", 100));
  CHECK(!runs_code_from(90, "", 90));
}

}  // namespace

int main() {
  test_dtypes();
  test_promotion();
  test_element_count();
  test_strides();
  test_broadcast();
  test_collapse();
  test_reshape();
  test_extent();
  test_resolve();
  test_code_that_a_device_runs();
  return check_report();
}
