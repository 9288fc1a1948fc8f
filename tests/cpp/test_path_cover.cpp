// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// Tests element-wise kernels over random layouts: every element of the result is written once, from
// its own operands.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "backend/cuda/paths.hpp"
#include "check.hpp"
#include "core/layout.hpp"
#include "kernels_on_host.hpp"

using namespace gpuarray;

namespace {

using Wide = complex<double>;

template <class T>
constexpr DType dtype_of = sizeof(T) == 1   ? DType::uint8
                           : sizeof(T) == 2 ? DType::uint16
                           : sizeof(T) == 4 ? DType::uint32
                           : sizeof(T) == 8 ? DType::uint64
                                            : DType::complex128;

std::mt19937 generator(20240607);

int random_below(int limit) { return static_cast<int>(generator() % limit); }
bool one_in(int count) { return random_below(count) == 0; }

// Memory of exactly the elements that an operand spans, so that a sanitizer finds any other access.
struct Memory {
  std::unique_ptr<unsigned char, void (*)(void*)> bytes{nullptr, std::free};
  int64_t size = 0;
  int64_t origin = 0;  // byte of element (0, 0, ...)

  void make(const Shape& shape, const Strides& strides, int itemsize) {
    const Extent extent = byte_extent(shape, strides, itemsize);
    const int64_t skipped = one_in(2) ? 0 : int64_t{random_below(18)} * itemsize;
    origin = skipped - extent.begin;
    size = skipped + extent.end - extent.begin;
    void* made = nullptr;
    if (posix_memalign(&made, 256, size) != 0) std::abort();
    bytes.reset(static_cast<unsigned char*>(made));
    for (int64_t i = 0; i < size; ++i) bytes.get()[i] = static_cast<unsigned char>(generator());
  }
  unsigned char* first() const { return bytes.get() + origin; }
};

Shape random_shape() {
  static const int extents[] = {1,  2,  3,  4,  7,  8,  15,  16,  17,
                                31, 32, 33, 48, 64, 65, 100, 257, 1031};
  const int ndim = one_in(8) ? random_below(10) : 1 + random_below(3);
  Shape shape;
  int64_t size = 1;
  for (int axis = 0; axis < ndim; ++axis) {
    const int extent = ndim < 5 ? extents[random_below(std::size(extents))] : 2 + random_below(2);
    shape.push_back(size * extent <= 20000 ? extent : 1);
    size *= shape.back();
  }
  return shape;
}

// Makes strides with axes in any order, with gaps, backwards and, where allowed, repeated.
Strides random_strides(const Shape& shape, bool repeats) {
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (one_in(2)) std::shuffle(order.begin(), order.end(), generator);
  const bool plain = one_in(2);
  Strides strides(shape.size(), 0);
  int64_t step = !plain && one_in(4) ? 2 + random_below(3) : 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    if (repeats && !plain && one_in(4)) continue;
    strides[*axis] = !plain && one_in(6) ? -step : step;
    step *= shape[*axis];
    if (!plain && one_in(4)) step += 1 + random_below(16);
  }
  return strides;
}

template <class T>
T value_at(const Memory& memory, int64_t offset) {
  T value;
  std::memcpy(&value, memory.first() + offset * int64_t{sizeof(T)}, sizeof value);
  return value;
}

int taken[5];

template <class Out, class... In, size_t... K>
void check_random_plan(std::index_sequence<K...>) {
  constexpr int kOperands = 1 + sizeof...(In);
  const int itemsizes[] = {sizeof(Out), sizeof(In)...};
  const DType dtypes[] = {dtype_of<Out>, dtype_of<In>...};
  const Shape shape = random_shape();
  Strides strides[kOperands];
  Memory memory[kOperands];
  ElementwisePlan plan;
  plan.shape = shape;
  plan.size = element_count(shape);
  for (int k = 0; k < kOperands; ++k) {
    const bool is_scalar = k > 0 && one_in(6);
    strides[k] = k > 0 && one_in(3) ? strides[0] : random_strides(shape, k > 0);
    if (is_scalar) strides[k] = Strides(shape.size(), 0);
    memory[k].make(shape, strides[k], itemsizes[k]);
    if (is_scalar) {
      Scalar scalar;
      scalar.dtype = dtypes[k];
      std::memcpy(scalar.bytes, memory[k].first(), itemsizes[k]);
      plan.add(scalar) = strides[k];
    } else {
      plan.add(dtypes[k], memory[k].first()) = strides[k];
    }
  }
  const std::vector<unsigned char> initial(memory[0].bytes.get(),
                                           memory[0].bytes.get() + memory[0].size);
  std::vector<unsigned char> expected = initial;
  for (int64_t i = 0; i < plan.size; ++i) {
    const Out out =
        Mix<Out>::apply(value_at<In>(memory[1 + K], offset_at(i, shape, strides[1 + K]))...);
    std::memcpy(
        expected.data() + memory[0].origin + offset_at(i, shape, strides[0]) * int64_t{sizeof(Out)},
        &out, sizeof out);
  }
  collapse(plan.shape, std::span(plan.strides, kOperands));
  const Path chosen =
      paths::choose(paths::operands_of(plan), {.any = true, .tile = true, .merged = true});
  ++taken[static_cast<int>(chosen)];
  for (Path path : {Path::flat, Path::rows, Path::tile, Path::merged}) {
    const bool rows_can = plan.shape.size() >= 1 && plan.shape.size() <= kFewDims;
    if (path != chosen && !(path == Path::rows && rows_can)) continue;
    std::copy(initial.begin(), initial.end(), memory[0].bytes.get());
    run_path<Out, In...>(path, plan);
    const bool same = std::equal(expected.begin(), expected.end(), memory[0].bytes.get());
    CHECK(same && evaluated == plan.size);
    if (!same || evaluated != plan.size)
      std::fprintf(stderr, "path %d, shape %s, size %ld, evaluated %ld\n", static_cast<int>(path),
                   to_string(shape).c_str(), long(plan.size), long(evaluated));
  }
}

template <class Out, class... In>
void check_random_plans(int count) {
  for (int i = 0; i < count; ++i)
    check_random_plan<Out, In...>(std::make_index_sequence<sizeof...(In)>());
}

void test_random_plans() {
  check_random_plans<uint8_t, uint8_t>(400);
  check_random_plans<uint16_t, uint16_t>(200);
  check_random_plans<uint32_t, uint32_t>(400);
  check_random_plans<uint64_t, uint8_t>(200);
  check_random_plans<uint8_t, uint64_t>(200);
  check_random_plans<Wide, uint16_t>(150);
  check_random_plans<uint8_t, Wide>(150);
  check_random_plans<uint32_t, uint32_t, uint32_t>(600);
  check_random_plans<uint8_t, uint8_t, uint8_t>(300);
  check_random_plans<uint8_t, uint32_t, uint32_t>(300);
  check_random_plans<uint32_t, uint16_t, uint64_t>(300);
  check_random_plans<Wide, Wide, uint8_t>(200);
  check_random_plans<uint16_t, uint8_t, uint16_t, uint32_t>(300);
  check_random_plans<uint64_t, uint8_t, uint64_t, uint64_t>(300);
  for (int count : taken) CHECK(count >= 50);
  std::printf("any %d, flat %d, rows %d, tile %d, merged %d\n", taken[0], taken[1], taken[2],
              taken[3], taken[4]);
}

}  // namespace

int main() {
  test_random_plans();
  return check_report();
}
