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
  static constexpr size_t kCount = size_t{kDrawCount} * kStreamCount;

  BitGenerator generator;
  RandomDraw draw;

  const DrawRow& row() const { return kDraws[static_cast<int>(draw)]; }
  int index() const { return static_cast<int>(generator) * kDrawCount + static_cast<int>(draw); }
  BuiltKernel built() const {
    // Draws from other generators are not built ahead.
    const char* const module = generator == BitGenerator::pcg64 ? "random" : "";
    return {module, std::string("random_") + row().name};
  }
  std::string text() const {
    const std::string kind = row().kind;
    const bool is_philox = generator == BitGenerator::philox;
    return source::kernel(
        source::include("random/" + kind + "_draws.cuh") +
            source::include(is_philox ? "random/philox.cuh" : "random/pcg64.cuh"),
        source::by_value("RandomParams"),
        kind + "_draws<" + kStreams[static_cast<int>(generator)] + ", " + row().type + ">(params)",
        kind == "picked" ? "__launch_bounds__(kRandomTileBlock, kRandomResident)"
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

// Returns the launch of a picked draw, whose blocks take tiles, and sets these: small draws have
// small ones.
LaunchShape picked_launch(const RandomPlan& plan, const DrawRow& row, int multiprocessors,
                          RandomParams& params) {
  const auto words = static_cast<int64_t>(std::ceil(most_units(plan, row) * row.bits / 64));
  const int64_t resident = int64_t{multiprocessors} * kRandomResident;
  const int64_t behind = row.is_chained() ? kRandomWordsBehind : 0;
  const int64_t even = divide_up(words, resident * kRandomWarps) + behind;
  params.warp_words = static_cast<int32_t>(std::min<int64_t>(
      divide_up(even, kRandomFewestWords) * kRandomFewestWords, kRandomWarpWords));
  params.tiles = divide_up(words, (params.warp_words - behind) * kRandomWarps);
  return LaunchShape::linear(std::min(params.tiles, resident), kRandomTileBlock);
}

}  // namespace

void cuda_random(const RandomPlan& plan, const StreamPtr& stream) {
  const RandomKernel key{plan.generator, plan.draw};
  const DrawRow& row = key.row();
  const Device device = stream->device();
  const int multiprocessors = properties(device).multiprocessors;
  RandomParams params{.state = static_cast<RandomState*>(plan.state),
                      .out = plan.out,
                      .count = plan.count,
                      .tiles = 1,
                      .warp_words = 0,
                      .slots = nullptr,
                      .loc = plan.loc,
                      .scale = plan.scale,
                      .low = plan.low,
                      .range = plan.range,
                      .threshold = plan.threshold,
                      .affine = plan.affine};
  const LaunchShape shape = std::string_view(row.kind) == "fixed"
                                ? fixed_launch(plan, row, multiprocessors)
                                : picked_launch(plan, row, multiprocessors, params);
  BufferPtr slots;
  if (params.tiles > 1) {
    const int64_t bytes = (params.tiles + 1) * int64_t{sizeof(uint64_t)};
    slots = Buffer::allocate(bytes, stream);
    fill_device(slots->data(), 0, bytes, *stream);
    params.slots = static_cast<uint64_t*>(slots->data());
  }
  void* arguments[] = {&params};
  launch(kernels.entry(key, device).find_or_compile(key, device), shape, arguments, *stream,
         {row.name, plan.dtype, *plan.shape});
}

}  // namespace gpuarray
