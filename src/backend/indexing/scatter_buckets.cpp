// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <bit>
#include <string>
#include <vector>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/indexed_launch.hpp"
#include "backend/indexing/indexed.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "core/error.hpp"
#include "core/layout.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/libraries/cub.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
namespace {

// A kernel of kernels/indexing/buckets.cuh, for values of 1 to 8 bytes where it moves values.
struct BucketKernel {
  enum Action { pack, write, bounds, find_long };
  static constexpr size_t kCount = 2 * 4 + 2;

  Action action;
  int bytes;

  int index() const {
    if (action >= bounds) return 8 + (action - bounds);
    return action * 4 + std::countr_zero(static_cast<uint32_t>(bytes));
  }
  BuiltKernel built() const { return {"indexed", name() + suffix("_", std::to_string(bytes))}; }
  std::string text() const {
    return source::kernel(
        source::include("indexing/buckets.cuh"), source::by_value("BucketParams"),
        name() + "_kernel" + suffix("<", source::word_type(bytes) + std::string(">")) + "(params)");
  }

 private:
  std::string name() const {
    static const char* const names[] = {"bucket_pack", "bucket_write", "bucket_bounds",
                                        "bucket_long"};
    return names[action];
  }
  std::string suffix(const char* mark, const std::string& of_bytes) const {
    return action >= bounds ? "" : mark + of_bytes;
  }
};

constinit KernelFamily<BucketKernel> kernels;

// Returns whether buckets pay for so many values.
bool pays(int64_t length, int64_t size) {
  return size >= kBucketFewest && size < UINT32_MAX && length >= kBucketLength && size <= length &&
         length < kBucketNowhere;
}

// Returns whether each value is a word of its own.
bool are_words(const RowsPlan& rows) {
  return rows.row == 1 && rows.planes == 1 && rows.array_step == 0 && rows.value_step == 1 &&
         rows.word <= 8;
}

// Throws OutOfMemory and DeviceError before anything is written to the array.
void scatter(const IndexedPlan& plan, const RowsPlan& rows, const StreamPtr& stream) {
  const IndexedPlan::Axis& indexed = plan.axes[0];
  const int64_t size = element_count(plan.shape);
  const bool packed = rows.word <= 4;
  const int position_bits = std::bit_width(static_cast<uint64_t>(indexed.length - 1));
  const int shift = packed ? 32 : 0;  // of the position in an entry
  const int64_t buckets = divide_up(indexed.length, kBucketSlots);

  cub::Sort sort;
  sort.count = size;
  sort.begin_bit = shift + std::countr_zero(static_cast<uint32_t>(kBucketSlots));
  sort.end_bit = shift + position_bits;
  std::vector<BufferPtr> kept;
  const auto allocate = [&](int64_t bytes) {
    kept.push_back(Buffer::allocate(bytes, stream));
    return kept.back()->data();
  };
  for (void*& keys : sort.keys) keys = allocate(size * int64_t{sizeof(uint64_t)});
  if (!packed) {
    sort.value = cub::Value::uint64;
    for (void*& values : sort.values) values = allocate(size * rows.word);
  }

  BucketParams params;
  params.axis = axis_of(plan, indexed, 1, *stream);
  params.size = size;
  params.buckets = buckets;
  params.array_step = rows.step;
  params.position_shift = shift;
  params.bucket_shift = sort.begin_bit;
  params.sorted_bits = ~uint64_t{0} >> (64 - sort.end_bit);
  params.index = static_cast<const int64_t*>(indexed.index);
  params.source = rows.values;
  params.array = rows.array;
  params.entries = static_cast<uint64_t*>(sort.keys[0]);
  params.values = sort.values[0];
  params.begins = static_cast<int64_t*>(allocate((buckets + 1) * int64_t{sizeof(int64_t)}));
  const int64_t tiles = divide_up(size, kBucketTile);
  const int64_t winner_bytes = tiles * kBucketSlots * int64_t{sizeof(uint32_t)};
  params.winners = static_cast<uint32_t*>(allocate(winner_bytes));

  const LaunchLabel label{plan.operation, plan.dtype, plan.shape};
  const auto run = [&](BucketKernel::Action action, const LaunchShape& shape) {
    void* arguments[] = {&params};
    launch(kernels.find({action, rows.word}, stream->device()), shape, arguments, *stream, label);
  };
  run(BucketKernel::pack, linear_launch(size, *stream));
  radix_sort(sort, stream, label);
  params.entries = static_cast<uint64_t*>(sort.keys[sort.selected]);
  params.values = sort.values[sort.selected];
  run(BucketKernel::bounds, linear_launch(buckets + 1, *stream));
  fill_device(params.winners, 0, winner_bytes, *stream);
  run(BucketKernel::find_long, LaunchShape::linear(tiles, kBucketBlock));
  run(BucketKernel::write, LaunchShape::linear(buckets, kBucketBlock));
}

}  // namespace

bool scatter_in_buckets(const IndexedPlan& plan, const StreamPtr& stream) {
  if (!pays(plan.axes[0].length, element_count(plan.shape))) return false;
  const std::optional<RowsPlan> rows = plan_rows(plan, false);
  if (!rows || !are_words(*rows) || !has_radix_sort()) return false;
  try {
    scatter(plan, *rows, stream);
  } catch (const OutOfMemory&) {  // a table may take less
    return false;
  } catch (const DeviceError&) {  // CUB has no code for the device
    return false;
  }
  return true;
}

}  // namespace gpuarray
