// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/fft.hpp"

#include <algorithm>
#include <array>

#include "core/layout.hpp"

namespace gpuarray {
namespace {

// The transformed axes of one side of a plan.
struct Side {
  Shape extents;  // elements along each axis
  Strides steps;
};

// Returns how the axes nest in each other; nullopt if they do not.
std::optional<FftLayout> layout_of(const Side& side) {
  FftLayout layout;
  const int last = side.steps.size() - 1;
  layout.stride = side.steps[last];
  for (int axis = last; axis > 0; --axis) {
    const int64_t outer = side.steps[axis - 1], inner = side.steps[axis];
    if (inner <= 0 || outer % inner != 0 || outer / inner < side.extents[axis]) return std::nullopt;
    layout.embed[axis] = outer / inner;
  }
  layout.embed[0] = side.extents[0];
  if (layout.stride <= 0) return std::nullopt;
  return layout;
}

// The number of elements, which is the distance of transforms that lie one after the other.
int64_t points_of(const Side& side) { return element_count(side.extents); }

bool is_contiguous(const FftLayout& layout, const Side& side) {
  return layout.stride == 1 && layout.distance == points_of(side) &&
         std::equal(side.extents.begin(), side.extents.end(), layout.embed);
}

// Returns the sides of the plan. Axes of one point are left out, but for the last one and for that
// of real numbers.
std::array<Side, 2> sides_of(const FftPlan& plan, Shape& lengths) {
  std::array<Side, 2> sides;
  const int last = plan.lengths.size() - 1;
  for (int axis = 0; axis <= last; ++axis) {
    const int64_t points = plan.lengths[axis];
    if (points == 1 && axis < last) continue;
    const int64_t half = axis == last ? points / 2 + 1 : points;
    lengths.push_back(points);
    sides[0].extents.push_back(plan.type == FftType::complex_to_real ? half : points);
    sides[1].extents.push_back(plan.type == FftType::real_to_complex ? half : points);
    sides[0].steps.push_back(plan.source_steps[axis]);
    sides[1].steps.push_back(plan.target_steps[axis]);
  }
  return sides;
}

// The batch of a plan: one axis of it is cuFFT's, and the others are a call each.
struct Batch {
  Shape shape;
  std::array<Strides, 2> strides;
};

// Takes the axis that is cuFFT's out of the batch, the longest one along which it can walk.
bool take_longest(Batch& batch, FftPlanKey& key) {
  int longest = -1;
  for (int axis = 0; axis < batch.shape.size(); ++axis)
    if (batch.strides[0][axis] > 0 && batch.strides[1][axis] > 0 &&
        (longest < 0 || batch.shape[axis] > batch.shape[longest]))
      longest = axis;
  if (longest < 0) return batch.shape.empty();
  key.batch = batch.shape[longest];
  key.input.distance = batch.strides[0][longest];
  key.output.distance = batch.strides[1][longest];
  batch.shape.erase(longest);
  for (Strides& strides : batch.strides) strides.erase(longest);
  return true;
}

// Whether cuFFT takes the addresses: it reads and writes whole complex numbers, also where they are
// pairs of real ones.
bool is_aligned(const FftBatch& batch, uintptr_t bytes) {
  return reinterpret_cast<uintptr_t>(batch.input) % bytes == 0 &&
         reinterpret_cast<uintptr_t>(batch.output) % bytes == 0;
}

// Adds the addresses of each call; returns whether cuFFT takes them.
bool add_batches(FftCalls& calls, const FftPlan& plan, const Batch& batch) {
  const int complex_size = itemsize(plan.dtype);
  const int real_size = complex_size / 2;
  const int64_t sizes[] = {plan.type == FftType::real_to_complex ? real_size : complex_size,
                           plan.type == FftType::complex_to_real ? real_size : complex_size};
  for (int64_t index = 0; index < element_count(batch.shape); ++index) {
    int64_t rest = index, offsets[2] = {};
    for (int axis = batch.shape.size() - 1; axis >= 0; rest /= batch.shape[axis--])
      for (size_t k = 0; k < 2; ++k)
        offsets[k] += rest % batch.shape[axis] * batch.strides[k][axis] * sizes[k];
    calls.batches.push_back({static_cast<const char*>(plan.source) + offsets[0],
                             static_cast<char*>(plan.target) + offsets[1]});
    if (!is_aligned(calls.batches.back(), static_cast<uintptr_t>(complex_size))) return false;
  }
  return true;
}

}  // namespace

std::optional<FftCalls> fft_calls(const FftPlan& plan) {
  FftCalls calls;
  FftPlanKey& key = calls.key;
  Shape lengths;
  const std::array<Side, 2> sides = sides_of(plan, lengths);
  const std::optional<FftLayout> input = layout_of(sides[0]), output = layout_of(sides[1]);
  if (!input || !output) return std::nullopt;
  key.input = *input;
  key.output = *output;
  key.input.distance = points_of(sides[0]);
  key.output.distance = points_of(sides[1]);
  key.type = plan.type;
  key.is_double = plan.dtype == DType::complex128;
  key.rank = lengths.size();
  std::copy(lengths.begin(), lengths.end(), key.lengths);
  Batch batch{plan.batch, {plan.target_batch, plan.source_batch}};
  collapse(batch.shape, batch.strides);
  std::swap(batch.strides[0], batch.strides[1]);
  if (!take_longest(batch, key) || element_count(batch.shape) > kMostFftCalls) return std::nullopt;
  key.is_simple = is_contiguous(key.input, sides[0]) && is_contiguous(key.output, sides[1]);
  if (!add_batches(calls, plan, batch)) return std::nullopt;
  return calls;
}

}  // namespace gpuarray
