// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/distribution.hpp"

#include <algorithm>

#include "backend/host/host.hpp"
#include "kernels/random/distribution.cuh"

namespace gpuarray::host {
namespace {

// Makes all draws. A piece is what a thread wakes for: draws take tens of nanoseconds and more.
template <class Draw, class T>
void draw_all(const DistributionParams& params) {
  constexpr int64_t kPiece = 4096;  // elements
  parallel_for(params.count, std::max<int64_t>(1, kPiece / params.length),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i)
                   Draw::template make<T>(params, *params.key, i);
               });
}

template <class Draw>
void draw_real(const DistributionPlan& plan) {
  if (plan.dtype == DType::float32)
    draw_all<Draw, float>(plan.params);
  else
    draw_all<Draw, double>(plan.params);
}

// Makes all draws by a loop over `grain` of them.
template <class Loop>
void draw_by(const DistributionParams& params, int64_t grain, Loop&& loop) {
  parallel_for(params.count, grain,
               [&](int64_t begin, int64_t end) { loop(*params.key, begin, end - begin); });
}

// Returns whether it made random orders, which have loops of their own.
bool draw_order(const DistributionPlan& plan) {
  const DistributionParams& params = plan.params;
  if (plan.distribution == Distribution::sort_words && params.length == 1) {
    auto* const words = static_cast<uint64_t*>(params.target);
    draw_by(params, elements_of_piece(params.count, sizeof(uint64_t)),
            [&](uint64_t key, int64_t first, int64_t count) {
              loops::table().sort_words(key, first, count, words + first);
            });
    return true;
  }
  const DistributionParameter& population = params.parameters[0];
  if (plan.distribution != Distribution::distinct_place || population.data != nullptr ||
      !(population.value <= 0x1p53))
    return false;
  auto* const places = static_cast<int64_t*>(params.target);
  constexpr int64_t kPiece = 1 << 15;  // places, which take a few nanoseconds each
  draw_by(params, kPiece, [&](uint64_t key, int64_t first, int64_t count) {
    loops::table().places(key, int64_t(population.value), first, count, places + first);
  });
  return true;
}

// The element types of the dtypes in distributions.def.
using float64 = double;
using int64 = int64_t;
using uint64 = uint64_t;

}  // namespace

void draw(const DistributionPlan& plan) {
  if (draw_order(plan)) return;
  switch (plan.distribution) {
#define GPUARRAY_REAL(name, ...) \
  case Distribution::name:       \
    return draw_real<random::name##_draw>(plan);
#define GPUARRAY_WHOLE(name, ...) \
  case Distribution::name:        \
    return draw_all<random::name##_draw, int64>(plan.params);
#define GPUARRAY_ROWS(name, parameters, dtype) \
  case Distribution::name:                     \
    return draw_all<random::name##_draw, dtype>(plan.params);
#include "kernels/random/distributions.def"
  }
}

}  // namespace gpuarray::host
