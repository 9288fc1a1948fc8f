// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/sorting/sort.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/host/scalar.hpp"
#include "backend/kernel_source.hpp"
#include "backend/visit.hpp"
#include "core/divide.hpp"
#include "kernels/sort/sort_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/libraries/cub.hpp"

namespace gpuarray {

KeyKind key_kind(DType dtype) {
  switch (kind(dtype)) {
    case 'f':
      return KeyKind::floating;
    case 'i':
      return KeyKind::signed_integer;
    case 'b':
      return KeyKind::boolean;
    default:
      return KeyKind::unsigned_integer;
  }
}

uint64_t key_infinity(DType dtype) {
  return visit_dtype(dtype, []<class T>() -> uint64_t {
    if constexpr (Float<T>)
      return FloatLayout<T>::infinity;
    else
      return 0;
  });
}

namespace {

// A kernel of kernels/sort.def.
struct SortKernelKey {
#define GPUARRAY_SORT_KERNEL(...) +1
  static constexpr size_t kCount = 0
#include "kernels/sort.def"
      ;

  SortKernel which;

  int index() const { return static_cast<int>(which); }
  BuiltKernel built() const {
    static const char* const names[] = {
#define GPUARRAY_SORT_KERNEL(name, ...) "sort_" #name,
#include "kernels/sort.def"
    };
    return {"sort", names[index()]};
  }
  std::string text() const {
    struct Row {
      const char* params;
      const char* expression;
    };
    static constexpr Row rows[] = {
#define GPUARRAY_SORT_KERNEL(name, params, expression) {#params, #expression},
#include "kernels/sort.def"
    };
    return source::kernel(
        source::include("sort/sort_rows.cuh") + source::include("sort/sort_runs.cuh") +
            source::include("sort/distinct.cuh") + source::include("sort/select_rows.cuh"),
        source::by_value(rows[index()].params), rows[index()].expression + std::string("(params)"));
  }
};

constinit KernelFamily<SortKernelKey> kernels;

constexpr int kWordBits = 64;

// Returns how many bits the numbers below `count` have.
int bits_below(int64_t count) { return std::bit_width(static_cast<uint64_t>(count - 1)); }

// Sorts one plan by a sequence of launches, and owns the memory between them.
class RadixSort {
 public:
  RadixSort(const SortPlan& plan, const StreamPtr& stream)
      : plan_(plan),
        stream_(stream),
        key_bits_(8 * itemsize(plan.dtype)),
        row_bits_(bits_below(plan.count / plan.length)) {}

  void elements() {
    const bool is_complex = kind(plan_.dtype) == 'c';
    if (!is_complex && fits_block(key_bits_)) return in_blocks(false);
    const bool one_row = plan_.length == plan_.count;
    if (one_row && !plan_.descending)
      if (const std::optional<cub::Key> key = native_key()) return natively(*key);
    if (!is_complex && one_row && key_bits_ <= 32) return by_keys(cub::Key::uint32);
    if (!is_complex && key_bits_ + row_bits_ <= kWordBits) return by_keys(cub::Key::uint64);
    gather(plan_.target, positions_in_order());
  }

  void indices() {
    if (key_bits_ <= 32 && fits_block(kWordBits)) {
      in_blocks(true);
      return gather(plan_.values, {plan_.target, sizeof(int64_t)});
    }
    SortIndex params{nullptr,     {},           static_cast<int64_t*>(plan_.target),
                     plan_.count, plan_.length, 0};
    const int index_bits = bits_below(plan_.length);
    if (key_bits_ + row_bits_ + index_bits <= kWordBits) {
      words_ = {plan_.target, allocate(plan_.count * int64_t{sizeof(uint64_t)})};
      pack({.key_shift = index_bits,
            .row_shift = row_shift(index_bits + key_bits_),
            .with_index = 1,
            .keeps_equal = 1});
      sort_words(cub::Key::uint64, index_bits, index_bits + key_bits_ + row_bits_);
      if (plan_.values != nullptr && key_bits_ <= 32) return order(index_bits);
      gather(plan_.values, {});  // of wider keys there is one
      params.words = static_cast<const uint64_t*>(words_.first);
      params.mask = (uint64_t{1} << index_bits) - 1;
    } else {
      params.positions = positions_in_order();
      gather(plan_.values, params.positions);
    }
    run(SortKernel::index, params);
  }

 private:
  using Pair = std::pair<void*, void*>;  // what is sorted, and as much spare memory

  void* allocate(int64_t bytes) {
    kept_.push_back(Buffer::allocate(bytes, stream_));
    return kept_.back()->data();
  }

  LaunchLabel label() const { return {"sort", plan_.dtype, *plan_.shape}; }

  template <class Params>
  void run(SortKernel which, Params& params) {
    void* arguments[] = {&params};
    launch(sort_kernel(which, stream_->device()), linear_launch(plan_.count, *stream_), arguments,
           *stream_, label());
  }

  int row_shift(int shift) const { return row_bits_ > 0 ? shift : -1; }

  std::optional<cub::Key> native_key() const {
    switch (plan_.dtype) {
      case DType::uint32:
        return cub::Key::uint32;
      case DType::uint64:
        return cub::Key::uint64;
      case DType::int32:
        return cub::Key::int32;
      case DType::int64:
        return cub::Key::int64;
      case DType::float32:
        return cub::Key::float32;
      case DType::float64:
        return cub::Key::float64;
      default:
        return {};
    }
  }

  // Returns whether a block has room for a row whose words need so many bits.
  bool fits_block(int bits) const {
    return plan_.length <=
           kSortRowsBlock * (bits <= 32 ? sort_row_items<uint32_t> : sort_row_items<uint64_t>);
  }

  // Sorts in one launch, in which each block sorts whole rows.
  void in_blocks(bool indices) {
    const bool wide = indices || key_bits_ > 32;
    const int items = wide ? sort_row_items<uint64_t> : sort_row_items<uint32_t>;
    const auto length = static_cast<int32_t>(plan_.length);
    const auto pitch = static_cast<int32_t>(round_up(length, items));
    SortRows params{.source = plan_.source,
                    .target = plan_.target,
                    .rows = plan_.count / plan_.length,
                    .length = length,
                    .pitch = pitch,
                    .block_rows = kSortRowsBlock * items / pitch,
                    .kind = key_kind(plan_.dtype),
                    .infinity = key_infinity(plan_.dtype),
                    .descending = plan_.descending,
                    .indices = indices};
    const int64_t blocks = divide_up(params.rows, params.block_rows);
    using enum SortKernel;
    const SortKernel which =
        wide ? kernel_for(plan_.dtype, rows_8_64, rows_16_64, rows_32_64, rows_64_64)
             : kernel_for(plan_.dtype, rows_8_32, rows_16_32, rows_32_32, rows_32_32);
    void* arguments[] = {&params};
    launch(sort_kernel(which, stream_->device()), LaunchShape::linear(blocks, kSortRowsBlock),
           arguments, *stream_, label());
  }

  // Sorts directly from the source, by CUB's own order of the dtype.
  void natively(cub::Key key) {
    cub::Sort sort;
    sort.key = key;
    sort.count = plan_.count;
    sort.end_bit = key_bits_;
    sort.source = plan_.source;
    sort.keys[0] = plan_.target;
    radix_sort(sort, stream_, label());
    if (kind(plan_.dtype) != 'f') return;
    SortRotate params{plan_.target, allocate(plan_.count * itemsize(plan_.dtype)),
                      static_cast<int64_t*>(allocate(sizeof(int64_t))), plan_.count};
    const bool wide = key == cub::Key::float64;
    run(wide ? SortKernel::rotate_out_64 : SortKernel::rotate_out_32, params);
    run(wide ? SortKernel::rotate_back_64 : SortKernel::rotate_back_32, params);
  }

  // Sorts words that hold the whole element and its row.
  void by_keys(cub::Key key) {
    const bool wide = key == cub::Key::uint64;
    const int64_t bytes = plan_.count * (wide ? 8 : 4);
    const bool same_size = itemsize(plan_.dtype) == (wide ? 8 : 4);
    words_.first = same_size ? plan_.target : allocate(bytes);
    words_.second = allocate(bytes);
    pack({.key_shift = 0, .row_shift = row_shift(key_bits_)}, !wide);
    sort_words(key, 0, key_bits_ + row_bits_);
    SortUnpack params{words_.first,
                      plan_.target,
                      plan_.count,
                      key_kind(plan_.dtype),
                      key_infinity(plan_.dtype),
                      plan_.descending};
    using enum SortKernel;
    run(wide ? kernel_for(plan_.dtype, unpack_8_64, unpack_16_64, unpack_32_64, unpack_64_64)
             : kernel_for(plan_.dtype, unpack_8_32, unpack_16_32, unpack_32_32, unpack_32_32),
        params);
  }

  // Writes positions and elements of one row from its words.
  void order(int index_bits) {
    SortOrder params{.words = static_cast<const uint64_t*>(words_.first),
                     .source = plan_.source,
                     .target = static_cast<int64_t*>(plan_.target),
                     .values = plan_.values,
                     .count = plan_.count,
                     .index_bits = index_bits,
                     .kind = key_kind(plan_.dtype),
                     .infinity = key_infinity(plan_.dtype)};
    using enum SortKernel;
    run(kernel_for(plan_.dtype, order_8, order_16, order_32, order_32), params);
  }

  // Copies the elements at these positions to `target`, unless it is null.
  void gather(void* target, const SortPositions& positions) {
    if (target == nullptr) return;
    SortGather params{plan_.source, target, positions, plan_.count, itemsize(plan_.dtype)};
    run(SortKernel::gather, params);
  }

  // Sorts positions by one word of the keys after the other, from the last word on. Each pass
  // begins with the order of the pass before.
  SortPositions positions_in_order() {
    const bool narrow = plan_.count <= 0xffffffff;
    const int64_t bytes = narrow ? 4 : 8;
    words_ = {allocate(plan_.count * 8), allocate(plan_.count * 8)};
    positions_ = {allocate(plan_.count * bytes), allocate(plan_.count * bytes)};
    const DType dtype = narrow ? DType::uint32 : DType::uint64;
    cuda_arange(dtype, positions_.first, plan_.count, cast_scalar(Scalar::weak_uint(0), dtype),
                cast_scalar(Scalar::weak_uint(1), dtype), nullptr, *stream_);
    auto order_by = [&](SortPack what, int bits) {
      what.positions = {positions_.first, static_cast<int32_t>(bytes)};
      what.keeps_equal = 1;
      pack(what);
      sort_words(cub::Key::uint64, 0, bits, narrow ? cub::Value::uint32 : cub::Value::uint64);
    };
    if (plan_.dtype == DType::complex128)
      order_by({.key_shift = 0, .row_shift = -1, .low_part = 1}, kWordBits);
    order_by({.key_shift = 0, .row_shift = -1}, std::min(key_bits_, kWordBits));
    if (row_bits_ > 0) order_by({.key_shift = -1, .row_shift = 0}, row_bits_);
    return {positions_.first, static_cast<int32_t>(bytes)};
  }

  // Queues the kernel that fills words_.first from the source.
  void pack(SortPack params, bool narrow = false) {
    params.source = plan_.source;
    params.target = words_.first;
    params.count = plan_.count;
    params.length = plan_.length;
    params.kind = key_kind(plan_.dtype);
    params.infinity = key_infinity(plan_.dtype);
    params.descending = plan_.descending;
    using enum SortKernel;
    SortKernel which = kernel_for(plan_.dtype, pack_8_64, pack_16_64, pack_32_64, pack_64_64);
    if (narrow) which = kernel_for(plan_.dtype, pack_8_32, pack_16_32, pack_32_32, pack_32_32);
    if (plan_.dtype == DType::complex64) which = pack_complex64_64;
    if (plan_.dtype == DType::complex128) which = pack_complex128_64;
    run(which, params);
  }

  // Sorts words_.first, and positions_.first along with it.
  void sort_words(cub::Key key, int begin, int end, cub::Value value = cub::Value::none) {
    cub::Sort sort;
    sort.key = key;
    sort.value = value;
    sort.count = plan_.count;
    sort.begin_bit = begin;
    sort.end_bit = end;
    sort.keys[0] = words_.first;
    sort.keys[1] = words_.second;
    sort.values[0] = positions_.first;
    sort.values[1] = positions_.second;
    radix_sort(sort, stream_, label());
    if (sort.selected == 0) return;
    std::swap(words_.first, words_.second);
    std::swap(positions_.first, positions_.second);
  }

  const SortPlan& plan_;
  const StreamPtr& stream_;
  const int key_bits_;
  const int row_bits_;
  std::vector<BufferPtr> kept_;
  Pair words_;
  Pair positions_;
};

}  // namespace

SortKernel kernel_for(DType dtype, SortKernel of_8, SortKernel of_16, SortKernel of_32,
                      SortKernel of_64) {
  switch (itemsize(dtype)) {
    case 1:
      return of_8;
    case 2:
      return of_16;
    case 4:
      return of_32;
    default:
      return of_64;
  }
}

KernelHandle sort_kernel(SortKernel which, Device device) { return kernels.find({which}, device); }

namespace {

// Returns whether the plan is a partition by one position that a selection does.
bool is_selected(const SortPlan& plan) {
  return plan.kth != nullptr && plan.kth->size() == 1 &&
         cuda_may_select_rows(plan.dtype, plan.length, plan.length);
}

RankPlan partition_plan(const SortPlan& plan) {
  return {.dtype = plan.dtype,
          .source = plan.source,
          .count = plan.count,
          .length = plan.length,
          .rank = (*plan.kth)[0],
          .descending = plan.descending,
          .kept = plan.length,
          .shape = plan.shape};
}

}  // namespace

void cuda_sort(const SortPlan& plan, const StreamPtr& stream) {
  if (is_selected(plan)) {
    RankPlan split = partition_plan(plan);
    split.values = plan.target;
    return cuda_select_rows(split, stream);
  }
  RadixSort(plan, stream).elements();
}

void cuda_argsort(const SortPlan& plan, const StreamPtr& stream) {
  if (is_selected(plan)) {
    RankPlan split = partition_plan(plan);
    split.positions = static_cast<int64_t*>(plan.target);
    return cuda_select_rows(split, stream);
  }
  RadixSort(plan, stream).indices();
}

}  // namespace gpuarray
