// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/fft_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/layout.hpp"
#include "kernels/tuning.hpp"

namespace gpuarray {
namespace {

constexpr int64_t kMostPart = 32;  // points that a thread holds
constexpr int64_t kLongestLine = kMostPart * kMostPart;
constexpr int64_t kLeastLine = 16;
constexpr int64_t kLeastColumns = 8;  // lines side by side

bool is_smooth(int64_t n) {
  for (const int64_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

// Returns the two parts of a line's length, of which the first is no smaller, as alike as possible.
std::optional<std::pair<int, int>> parts_of(int64_t n) {
  if (n < kLeastLine || n > kLongestLine || !is_smooth(n)) return std::nullopt;
  for (int64_t first = 4; first <= kMostPart; ++first)
    if (n % first == 0 && n / first <= first)
      return std::pair(static_cast<int>(first), static_cast<int>(n / first));
  return std::nullopt;
}

// The axes around a transformed one: of each side, the source's first, the strides.
struct Lines {
  Shape shape;
  std::array<Strides, 2> strides;
};

// Makes two axes of the batch, the second the innermost of the target. Returns false if there are
// more.
bool make_two_axes(Lines& lines) {
  std::array<Strides, 2> swapped{lines.strides[1], lines.strides[0]};
  collapse(lines.shape, swapped);
  lines.strides = {swapped[1], swapped[0]};
  if (lines.shape.size() > 2) return false;
  while (lines.shape.size() < 2) {
    lines.shape.insert(0, 1);
    for (Strides& strides : lines.strides) strides.insert(0, 0);
  }
  return true;
}

bool is_aligned(const FftPlan& plan) {
  const auto bytes = static_cast<uintptr_t>(itemsize(plan.dtype));
  return reinterpret_cast<uintptr_t>(plan.source) % bytes == 0 &&
         reinterpret_cast<uintptr_t>(plan.target) % bytes == 0;
}

FftLinesSide side_of(const void* data, int64_t point, const Strides& steps) {
  return {const_cast<void*>(data), point, {steps[0], steps[1]}};
}

// Whether the points of a line lie closer than neighbouring lines do.
bool are_rows(const FftLinesSide& side, int64_t inner) {
  return inner == 1 || std::abs(side.point) < std::abs(side.steps[1]);
}

bool is_same(const FftLinesSide& a, const FftLinesSide& b) {
  return a.point == b.point && std::ranges::equal(a.steps, b.steps);
}

// Returns a divisor of n that is a line's length, so that what is left is at most `most`; the least
// of those that are no smaller than the rest, and 0 if there is none.
int64_t divisor_of(int64_t n, int64_t parts) {
  int64_t found = 0;
  for (int64_t length = kLongestLine; length >= kLeastLine; --length) {
    if (n % length != 0 || !parts_of(length)) continue;
    int64_t others = length;
    for (int64_t part = 1; part < parts; ++part) others *= length;
    if (others < n) break;
    found = length;
  }
  return found;
}

// Returns the lengths of two or three lines; none if there are none.
std::vector<int64_t> lengths_of(int64_t n) {
  for (const int64_t parts : {2, 3}) {
    std::vector<int64_t> lengths;
    int64_t rest = n;
    for (int64_t part = parts; part > 1 && rest > 0; --part) {
      const int64_t length = divisor_of(rest, part);
      if (length == 0) break;
      lengths.push_back(length);
      rest /= length;
    }
    lengths.push_back(rest);
    if (std::ssize(lengths) == parts &&
        std::ranges::all_of(lengths, [](int64_t length) { return parts_of(length).has_value(); }))
      return lengths;
  }
  return {};
}

// A side of a long transform: the steps of its points, and along the batch.
struct LongSide {
  const void* data;
  int64_t point, batch;
};

// Makes the plan of one step. The batch has an outer and an inner axis.
class LongSteps {
 public:
  LongSteps(const FftPlan& whole, int64_t count) : whole_(whole), count_(count) {}

  void add(int64_t length, Shape batch, LongSide source, Strides source_batch, LongSide target,
           Strides target_batch, int64_t total, int64_t columns) {
    FftPlan step = whole_;
    step.lengths = {length};
    step.source = source.data;
    step.target = const_cast<void*>(target.data);
    step.source_steps = {source.point};
    step.target_steps = {target.point};
    step.batch = std::move(batch);
    step.source_batch = std::move(source_batch);
    step.target_batch = std::move(target_batch);
    step.total = total;
    step.columns = columns;
    step.scale = std::ssize(made) + 1 == count_ ? whole_.scale : 1;
    made.push_back(std::move(step));
  }

  std::vector<FftPlan> made;

 private:
  const FftPlan& whole_;
  const int64_t count_;
};

LongSide times(LongSide side, int64_t step) { return {side.data, side.point * step, side.batch}; }

// Returns the plans if the kernel takes all of them, else none.
std::vector<FftPlan> taken(std::vector<FftPlan> steps) {
  const bool are_lines =
      std::ranges::all_of(steps, [](const FftPlan& step) { return fft_lines(step).has_value(); });
  return are_lines ? std::move(steps) : std::vector<FftPlan>{};
}

}  // namespace

std::optional<FftLines> fft_lines(const FftPlan& plan) {
  if (plan.type != FftType::complex_to_complex || plan.lengths.size() != 1) return std::nullopt;
  if (plan.lengths[0] * element_count(plan.batch) < kFftLinesPoints) return std::nullopt;
  const auto parts = parts_of(plan.lengths[0]);
  if (!parts || !is_aligned(plan)) return std::nullopt;
  Lines lines{plan.batch, {plan.source_batch, plan.target_batch}};
  if (plan.total == 0 && !make_two_axes(lines)) return std::nullopt;
  FftLines made{};
  made.first = parts->first;
  made.second = parts->second;
  FftLinesParams& p = made.params;
  p.source = side_of(plan.source, plan.source_steps[0], lines.strides[0]);
  p.target = side_of(plan.target, plan.target_steps[0], lines.strides[1]);
  p.outer = lines.shape[0];
  p.inner = lines.shape[1];
  p.total = plan.total;
  p.columns = plan.columns;
  p.scale = plan.scale;
  if (p.source.data == p.target.data && !is_same(p.source, p.target)) return std::nullopt;
  made.from_rows = are_rows(p.source, p.inner);
  made.to_rows = are_rows(p.target, p.inner);
  if ((!made.from_rows || !made.to_rows) && p.inner < kLeastColumns) return std::nullopt;
  return made;
}

std::vector<FftPlan> long_fft_steps(const FftPlan& plan) {
  if (plan.type != FftType::complex_to_complex || plan.lengths.size() != 1) return {};
  const int64_t n = plan.lengths[0];
  if (n * element_count(plan.batch) < kFftLinesPoints || n <= kLongestLine) return {};
  Lines lines{plan.batch, {plan.source_batch, plan.target_batch}};
  if (!make_two_axes(lines) || lines.shape[0] != 1) return {};
  const int64_t count = lines.shape[1];
  const LongSide from{plan.source, plan.source_steps[0], lines.strides[0][1]};
  const LongSide to{plan.target, plan.target_steps[0], lines.strides[1][1]};
  const LongSide mid{nullptr, to.point, to.batch};
  const bool are_columns = count > 1 && from.batch * count == from.point &&
                           to.batch * count == to.point && from.batch > 0 && to.batch > 0;
  const bool are_rows = count == 1 || (from.batch >= n * from.point && to.batch >= n * to.point);
  const std::vector<int64_t> lengths = lengths_of(n);
  if (lengths.empty() || from.point <= 0 || to.point <= 0) return {};
  if (!are_columns && !(are_rows && (count == 1 || lengths.size() == 2))) return {};
  if (are_columns && lengths.size() != 2) return {};
  LongSteps steps(plan, std::ssize(lengths));
  const int64_t a = lengths[0], rest = n / a;
  if (are_columns) {
    steps.add(a, {1, rest * count}, times(from, rest), {0, from.batch}, times(mid, rest),
              {0, mid.batch}, n, count);
    steps.add(rest, {a, count}, mid, {rest * mid.point, mid.batch}, times(to, a),
              {to.point, to.batch}, 0, 1);
    return taken(std::move(steps.made));
  }
  steps.add(a, {count, rest}, times(from, rest), {from.batch, from.point}, times(mid, rest),
            {mid.batch, mid.point}, n, 1);
  if (lengths.size() == 2) {
    steps.add(rest, {count, a}, mid, {mid.batch, rest * mid.point}, times(to, a),
              {to.batch, to.point}, 0, 1);
    return taken(std::move(steps.made));
  }
  const int64_t b = lengths[1], c = lengths[2];
  steps.add(b, {a, c}, times(mid, c), {rest * mid.point, mid.point}, times(mid, c),
            {rest * mid.point, mid.point}, rest, 1);
  steps.add(c, {b, a}, mid, {c * mid.point, rest * mid.point}, times(to, a * b),
            {a * to.point, to.point}, 0, 1);
  return taken(std::move(steps.made));
}

void set_between(std::vector<FftPlan>& steps, void* data, const BufferUse& use) {
  for (FftPlan& step : steps) {
    if (step.source == nullptr) step.source = data;
    if (step.target == nullptr) step.target = data;
    step.uses.push_back(use);
  }
}

}  // namespace gpuarray
