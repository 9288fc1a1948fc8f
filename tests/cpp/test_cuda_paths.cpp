// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Which path a plan takes and how it is cut into blocks: the kernels' own text runs on the host.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "backend/cuda_paths.hpp"
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

template <class T>
uint64_t bits(const T& value) {
  uint64_t words[2] = {};
  std::memcpy(words, &value, sizeof value);
  return words[0] + 5 * words[1];
}

int64_t evaluated = 0;

// A result that tells its operands and their order.
template <class Out>
struct Mix {
  template <class... In>
  static Out apply(In... in) {
    ++evaluated;
    uint64_t total = 11;
    ((total = total * 31 + bits(in)), ...);
    const uint64_t words[2] = {total, total};
    Out out;
    std::memcpy(&out, words, sizeof out);
    return out;
  }
};

template <class Out, class... In>
void run_path(Path path, const ElementwisePlan& plan, uint32_t first_block = 0) {
  constexpr int kOperands = 1 + sizeof...(In);
  FlatParams<kOperands> flat;
  RowsParams<kOperands> rows;
  TileParams<kOperands> tile;
  const LaunchShape shape = path == Path::flat   ? paths::fill(flat, plan)
                            : path == Path::rows ? paths::fill(rows, plan)
                                                 : paths::fill(tile, plan);
  CHECK(shape.grid[0] > 0 && shape.grid[0] < uint32_t{1} << 31 && shape.block[0] <= 1024);
  const auto kernel = [&] {
    if (path == Path::flat) flat_kernel<Mix<Out>, Out, In...>(flat);
    if (path == Path::rows) rows_kernel<Mix<Out>, Out, In...>(rows);
    if (path == Path::tile) tile_kernel<Mix<Out>, Out, In...>(tile);
  };
  if (first_block > 0) first_block = shape.grid[0] - std::min(shape.grid[0], first_block);
  int64_t counted = 0, before = 0;
  for (uint32_t block = first_block; block < shape.grid[0]; ++block) {
    run_block(block, shape.block[0], kernel, [&] { before = evaluated; });
    counted += evaluated - before;
  }
  evaluated = counted;
}

std::mt19937 generator(20240607);

int random_below(int limit) { return static_cast<int>(generator() % limit); }
bool one_in(int count) { return random_below(count) == 0; }

// Memory of exactly the elements that an operand spans.
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

// Axes in any order, with gaps, backwards and, where allowed, repeated.
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

// The offset of element `index` in C order.
int64_t offset_at(int64_t index, const Shape& shape, const Strides& strides) {
  int64_t offset = 0;
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    offset += index % shape[axis] * strides[axis];
    index /= shape[axis];
  }
  return offset;
}

template <class T>
T value_at(const Memory& memory, int64_t offset) {
  T value;
  std::memcpy(&value, memory.first() + offset * int64_t{sizeof(T)}, sizeof value);
  return value;
}

int taken[4];

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
    std::memcpy(expected.data() + memory[0].origin +
                    offset_at(i, shape, strides[0]) * int64_t{sizeof(Out)},
                &out, sizeof out);
  }
  collapse(plan.shape, std::span(plan.strides, kOperands));
  const Path chosen = paths::choose(plan);
  ++taken[static_cast<int>(chosen)];
  for (Path path : {Path::flat, Path::rows, Path::tile}) {
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
  std::printf("any %d, flat %d, rows %d, tile %d\n", taken[0], taken[1], taken[2], taken[3]);
}

// A copy from strides to strides, over the collapsed shape.
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
  CHECK(shape.grid[0] == 3 * kTileGroup && shape.block[0] == kTileBlock);
}

// Memory that is there only where it is touched.
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

// The last blocks write the last elements from theirs, and nothing is cut to 32 bits.
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

void test_divisors() {
  bool same = true;
  const auto check = [&](uint32_t divisor, uint32_t n) {
    same = same && Divisor::of(divisor).divide(n) == n / divisor;
  };
  constexpr uint32_t kLast = (uint32_t{1} << 31) - 1;
  for (uint32_t divisor = 1; divisor <= 4096; ++divisor) {
    const Divisor by = Divisor::of(divisor);
    for (int i = 0; i < 1000; ++i) {
      const uint32_t n = generator() & kLast;
      same = same && by.divide(n) == n / divisor;
    }
    const uint32_t multiple = kLast / divisor * divisor;
    for (uint32_t n : {0u, 1u, divisor - 1, divisor, multiple - 1, multiple, kLast})
      check(divisor, n);
  }
  for (int i = 0; i < 100000; ++i) {
    const uint32_t divisor = 1 + (generator() & kLast) % kLast, n = generator() & kLast;
    for (uint32_t close : {n, divisor - 1, divisor, kLast, kLast / divisor * divisor})
      check(divisor, close);
  }
  check(kLast, kLast);
  CHECK(same);
}

}  // namespace

int main() {
  test_divisors();
  test_choices();
  test_flat_heads();
  test_vectors_of_rows();
  test_turned_operands();
  test_random_plans();
  test_beyond_31_bits();
  return check_report();
}
