// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/random_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "core/divide.hpp"
#include "kernels/random/random_params.hpp"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/device.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
namespace {

static_assert(sizeof(RandomState) <= kRandomStateBytes);

struct DrawRow {
  const char* name;
  const char* kind;
  const char* type;
  int bits;  // of a unit

  bool is_normal() const { return std::string_view(name).starts_with("normal"); }
  bool is_exponential() const { return std::string_view(name).starts_with("exponential"); }
  // Whether a draw may take several units.
  bool is_chained() const { return is_normal() || is_exponential(); }
};
constexpr DrawRow kDraws[] = {
#define GPUARRAY_DRAW(name, kind, type, bits, ...) {#name, #kind, #type, bits},
#include "kernels/random/draws.def"
};
constexpr const char* kStreams[] = {
#define GPUARRAY_BIT_GENERATOR(name, type) #type,
#include "kernels/random/draws.def"
};
constexpr int kDrawCount = std::size(kDraws);
constexpr int kStreamCount = std::size(kStreams);

struct RandomKernel {
  static constexpr size_t kCount = size_t{kDrawCount} * kStreamCount * 2;

  BitGenerator generator;
  RandomDraw draw;
  bool stores = false;  // the second kernel of a picked draw

  const DrawRow& row() const { return kDraws[static_cast<int>(draw)]; }
  int index() const {
    const int first = static_cast<int>(generator) * kDrawCount + static_cast<int>(draw);
    return 2 * first + stores;
  }
  BuiltKernel built() const {
    const char* const module =
        row().kind == std::string_view("picked") ? "random_picked" : "random";
    // Draws from other generators are not built ahead.
    return {generator == BitGenerator::pcg64 ? module : "",
            std::string("random_") + row().name + (stores ? "_results" : "")};
  }
  std::string text() const {
    const std::string kind = row().kind;
    const bool is_philox = generator == BitGenerator::philox;
    return source::kernel(source::include("random/" + kind + "_draws.cuh") +
                              source::include(is_philox ? "random/philox.cuh" : "random/pcg64.cuh"),
                          source::by_value("RandomParams"),
                          kind + (stores ? "_results<" : "_draws<") +
                              kStreams[static_cast<int>(generator)] + ", " + row().type +
                              ">(params)",
                          kind == "picked" ? "__launch_bounds__(kRandomPartBlock, kRandomResident)"
                                           : "__launch_bounds__(kRandomBlock)");
  }
};

constinit KernelFamily<RandomKernel> kernels;

// Returns how many units a picked draw will take, with eight standard deviations to spare, so that
// hardly ever a block must go on behind the last tile.
double most_units(const RandomPlan& plan, const DrawRow& row) {
  const auto count = static_cast<double>(plan.count);
  // Measured over 5e7 draws: 1.02207 units for normal numbers, 1.03355 for exponential ones.
  if (row.is_normal()) return count * 1.0221 + 8 * 0.25 * std::sqrt(count);
  if (row.is_exponential()) return count * 1.0336 + 8 * 0.25 * std::sqrt(count);
  const double accepted = 1 - std::ldexp(static_cast<double>(plan.threshold), -row.bits);
  return (count + 8 * std::sqrt(count * (1 - accepted))) / accepted;
}

// Returns the launch of a fixed draw, whose threads loop over what is left.
LaunchShape fixed_launch(const RandomPlan& plan, const DrawRow& row, int multiprocessors) {
  const int64_t words = divide_up(plan.count * row.bits, 64);
  const int64_t most = int64_t{multiprocessors} * kRandomFixedBlocks;
  return LaunchShape::linear(std::min(divide_up(words, kRandomBlock), most), kRandomBlock);
}

// Returns the launch of a picked draw, and describes its parts: small draws have small ones.
LaunchShape picked_launch(const RandomPlan& plan, const DrawRow& row, int multiprocessors,
                          RandomWork& work) {
  const auto words = static_cast<int64_t>(std::ceil(most_units(plan, row) * row.bits / 64));
  const int64_t resident = int64_t{multiprocessors} * kRandomResident;
  const int64_t even = divide_up(words, resident * kRandomWarps);
  work.part_words = static_cast<int32_t>(std::min<int64_t>(
      divide_up(even, kRandomFewestWords) * kRandomFewestWords, kRandomPartWords));
  work.parts = divide_up(words, work.part_words);
  work.block_parts = divide_up(divide_up(work.parts, resident), kRandomWarps) * kRandomWarps;
  return LaunchShape::linear(divide_up(work.parts, work.block_parts), kRandomPartBlock);
}

// Hands out parts of a block of memory; the first time without one, to know its size.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <class T>
  void give(T*& piece, int64_t count, int64_t itemsize = sizeof(T)) {
    piece = reinterpret_cast<T*>(memory_ + taken_);
    taken_ += round_up(count * itemsize, int64_t{16});
  }
  int64_t taken() const { return taken_; }

 private:
  char* memory_;
  int64_t taken_ = 0;
};

// Lays out what the kernels of a picked draw tell each other; returns its bytes.
int64_t lay_out(void* memory, const DrawRow& row, int64_t blocks, RandomWork& work) {
  Pieces pieces(memory);
  pieces.give(work.begun, 1);
  pieces.give(work.bases, blocks + 1);
  pieces.give(work.counts, work.parts);
  const int64_t units = work.parts * work.part_words * 64 / row.bits;
  pieces.give(work.skipped, units / 32);
  if (!row.is_chained()) return pieces.taken();
  pieces.give(work.lists, work.parts);
  // Measured over 4e6 units: 0.0149 of those of normal numbers are hard, of exponential ones
  // 0.0223.
  work.hard_capacity = units / (row.is_normal() ? 60 : 40) + 1024;
  auto* values = static_cast<char*>(nullptr);
  pieces.give(values, work.hard_capacity, row.bits / 8);
  work.hard_values = values;
  pieces.give(work.hard_units, work.hard_capacity);
  return pieces.taken();
}

}  // namespace

void cuda_random(const RandomPlan& plan, const StreamPtr& stream) {
  RandomKernel key{plan.generator, plan.draw};
  const DrawRow& row = key.row();
  const Device device = stream->device();
  const int multiprocessors = properties(device).multiprocessors;
  RandomParams params{.state = static_cast<RandomState*>(plan.state),
                      .out = plan.out,
                      .count = plan.count,
                      .work = {},
                      .loc = plan.loc,
                      .scale = plan.scale,
                      .low = plan.low,
                      .range = plan.range,
                      .threshold = plan.threshold};
  const bool is_picked = std::string_view(row.kind) == "picked";
  const LaunchShape shape = is_picked ? picked_launch(plan, row, multiprocessors, params.work)
                                      : fixed_launch(plan, row, multiprocessors);
  const bool is_parted = is_picked && shape.grid[0] > 1;
  BufferPtr memory;
  if (is_parted) {
    memory = Buffer::allocate(lay_out(nullptr, row, shape.grid[0], params.work), stream);
    lay_out(memory->data(), row, shape.grid[0], params.work);
  }
  void* arguments[] = {&params};
  const auto run = [&] {
    launch(kernels.entry(key, device).find_or_compile(key, device), shape, arguments, *stream,
           {row.name, plan.dtype, *plan.shape});
  };
  run();
  if (!is_parted) return;
  key.stores = true;
  run();
}

}  // namespace gpuarray
