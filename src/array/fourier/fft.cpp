// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Transforms go to cuFFT where the elements lie. What it cannot read is copied, as is what has
// another dtype or is continued by zeros; the first copy carries the scale.
#include "array/fourier/fft.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "array/fourier/fft_copies.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/fft_lines.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

using Axes = std::vector<int>;

// cuFFT passes several times over a long axis, each time by its steps; H200, 2026-11: 2^20 points
// of 64 columns take 2.1 ms, as rows 0.26 ms, and a copy that turns them takes about 0.25 ms.
constexpr int64_t kLongestStridedAxis = 1 << 13;
constexpr int64_t kPointsWorthCopying = 1 << 20;

// Returns whether a single axis is so long that it takes less time to copy it than to walk it.
bool is_long_and_strided(const FftPlan& plan) {
  return plan.lengths.size() == 1 && plan.lengths[0] > kLongestStridedAxis &&
         (plan.source_steps[0] != 1 || plan.target_steps[0] != 1) &&
         plan.lengths[0] * element_count(plan.batch) >= kPointsWorthCopying;
}

// Returns whether cuFFT can, and should, read and write the elements where they lie.
bool fits(const FftPlan& plan) { return !is_long_and_strided(plan) && fft_calls(plan); }

bool is_same_view(const Array& a, const Array& b) {
  return distance(a, b) == 0 && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.strides() == b.strides();
}

// Returns the last of the axes, at most so many.
Axes last_of(const Axes& axes, int most) {
  return Axes(axes.end() - std::min(std::ssize(axes), std::ptrdiff_t{most}), axes.end());
}

// One call of fft(): its elements move from one array to the next until they are in the target.
class Transform {
 public:
  Transform(const FftRequest& request, const Array& target)
      : request_(request), target_(target), scale_(request.scale) {}

  void run_complex(const Array& source);
  void run_from_real(const Array& source);
  void run_to_real(const Array& source);

 private:
  // Returns the axes of more than one point, but for the halved one of real numbers, the innermost
  // of `layout` last.
  Axes sorted_axes(const Array& layout) const;
  int halved() const { return request_.axes.back(); }
  int64_t points(int axis) const;
  FftPlan plan_for(FftType type, const Array& source, const Array& target, const Axes& axes) const;
  // Runs the plan, unless the device refuses it; returns whether it was run. Results are scaled if
  // they are the last ones and in their place.
  bool queue(FftPlan& plan, const Array& result, bool is_last);
  // Transforms complex numbers over the axes, from current_ to `target` or within current_.
  void transform_complex(Axes axes, bool is_last);
  // Transforms over the innermost of the axes, which is removed, by the kernel that finds elements
  // where cuFFT has no layout for them. Returns false if that is not possible, or not worth while.
  bool walk(Axes& axes, const Array& to, bool is_last);
  // Transforms over one axis in several passes of that kernel, where cuFFT takes more. Returns the
  // same.
  bool transform_long(int axis, const Array& to, bool is_last);
  // Returns the axes, which are those left, without one that is to be transformed by that kernel,
  // because it scales results too.
  Axes without_scaling_axis(const Axes& axes, const Array& to) const;
  // Finds axes that can be transformed from the one array to the other, of as many axes as
  // possible; none if no axis can.
  Axes fitting(const Array& source, const Array& target, const Axes& axes) const;
  // The same for a transform of or to real numbers, of which the halved axis is the last.
  Axes fitting_halved(const Array& source, const Array& target, const Axes& others) const;
  // The halved axis behind some others; alone if of one point, when cuFFT would halve another one.
  Axes with_halved(const Axes& others, int count) const;
  // Moves the elements to where they should be, and scales them unless that is done.
  void finish();

  const FftRequest& request_;
  const Array& target_;
  PendingScale scale_;
  Array current_;          // what has been computed so far
  bool is_owned_ = false;  // whether current_ may be overwritten
};

int64_t Transform::points(int axis) const {
  const auto found = std::ranges::find(request_.axes, axis);
  return request_.lengths[static_cast<int>(found - request_.axes.begin())];
}

Axes Transform::sorted_axes(const Array& layout) const {
  Axes axes;
  for (int axis : request_.axes) {
    if (request_.type != FftType::complex_to_complex && axis == halved()) continue;
    if (points(axis) > 1) axes.push_back(axis);
  }
  std::ranges::stable_sort(axes, [&](int a, int b) {
    return std::abs(layout.strides()[a]) > std::abs(layout.strides()[b]);
  });
  return axes;
}

FftPlan Transform::plan_for(FftType type, const Array& source, const Array& target,
                            const Axes& axes) const {
  FftPlan plan;
  plan.type = type;
  plan.forward = request_.forward;
  plan.dtype = fft_dtype(target.dtype());
  for (int axis : axes) {
    plan.lengths.push_back(points(axis));
    plan.source_steps.push_back(source.strides()[axis]);
    plan.target_steps.push_back(target.strides()[axis]);
  }
  for (int axis = 0; axis < target.ndim(); ++axis) {
    if (std::ranges::find(axes, axis) != axes.end()) continue;
    plan.batch.push_back(target.shape()[axis]);
    plan.source_batch.push_back(source.strides()[axis]);
    plan.target_batch.push_back(target.strides()[axis]);
  }
  plan.source = source.settle();
  plan.target = target.settle();
  plan.uses = {{target.buffer().get(), true}};
  if (source.buffer() != target.buffer())
    plan.uses.push_back({source.buffer().get(), type == FftType::complex_to_real});
  plan.target_shape = &target_.shape();
  return plan;
}

bool Transform::queue(FftPlan& plan, const Array& result, bool is_last) {
  const bool scales = is_last && is_same_view(result, target_);
  if (scales) plan.scale = scale_.value();
  const FftOutcome outcome = backend_of(result.device()).fft(plan, current_stream(result.device()));
  if (outcome == FftOutcome::refused) return false;
  if (scales && outcome == FftOutcome::scaled) scale_.done();
  current_ = result;
  is_owned_ = true;
  return true;
}

Axes Transform::fitting(const Array& source, const Array& target, const Axes& axes) const {
  auto fit = [&](const Axes& some) {
    return fits(plan_for(FftType::complex_to_complex, source, target, some));
  };
  for (int count = static_cast<int>(std::min<size_t>(axes.size(), kMaxFftAxes)); count > 0; --count)
    if (const Axes some = last_of(axes, count); fit(some)) return some;
  for (int axis : axes)
    if (fit({axis})) return {axis};
  return {};
}

bool Transform::walk(Axes& axes, const Array& to, bool is_last) {
  FftPlan plan = plan_for(FftType::complex_to_complex, current_, to, {axes.back()});
  if (!fft_lines(plan) || !queue(plan, to, is_last && axes.size() == 1)) return false;
  axes.pop_back();
  return true;
}

bool Transform::transform_long(int axis, const Array& to, bool is_last) {
  FftPlan whole = plan_for(FftType::complex_to_complex, current_, to, {axis});
  const bool scales = is_last && is_same_view(to, target_) && !scale_.is_done();
  if (scales) whole.scale = scale_.value();
  if (!scales && !is_long_and_strided(whole)) return false;
  std::vector<FftPlan> steps = long_fft_steps(whole);
  if (steps.empty()) return false;
  const Array between = empty_like(to, to.shape(), to.dtype(), 'K');
  if (between.strides() != to.strides()) return false;
  set_between(steps, between.address(), {between.buffer().get(), true});
  FftOutcome outcome = FftOutcome::refused;
  // The target is written by the last step alone, so that others can be done without.
  for (const FftPlan& step : steps) {
    outcome = backend_of(to.device()).fft(step, current_stream(to.device()));
    if (outcome == FftOutcome::refused) return false;
  }
  if (scales && outcome == FftOutcome::scaled) scale_.done();
  current_ = to;
  is_owned_ = true;
  return true;
}

Axes Transform::without_scaling_axis(const Axes& axes, const Array& to) const {
  const Axes others(axes.begin() + 1, axes.end());
  if (scale_.is_done() || others.empty() || !is_same_view(to, target_) ||
      !fft_lines(plan_for(FftType::complex_to_complex, to, to, {axes.front()})) ||
      !fits(plan_for(FftType::complex_to_complex, current_, to, others)))
    return axes;
  return others;
}

void Transform::transform_complex(Axes axes, bool is_last) {
  while (!axes.empty()) {
    const Array to = is_owned_ ? current_ : target_;
    if (axes.size() == 1 && transform_long(axes[0], to, is_last)) return;
    Axes some = fitting(current_, to, axes);
    if (some.empty() && walk(axes, to, is_last)) continue;
    if (is_last && some.size() == axes.size()) some = without_scaling_axis(some, to);
    if (some.empty()) {
      some = last_of(axes, kMaxFftAxes);
      const Array copied = empty_with_innermost(current_.shape(), to.dtype(), some, to.device());
      scale_.copy(copied, current_);
      current_ = copied;
      is_owned_ = true;
      continue;
    }
    std::erase_if(axes, [&](int axis) { return std::ranges::find(some, axis) != some.end(); });
    FftPlan plan = plan_for(FftType::complex_to_complex, current_, to, some);
    queue(plan, to, is_last && axes.empty());
  }
}

void Transform::run_complex(const Array& source) {
  current_ = cropped(source, request_.axes, request_.lengths);
  Axes axes = sorted_axes(target_);
  if (current_.dtype() != target_.dtype() || current_.shape() != target_.shape()) {
    const bool fit = axes.empty() || !fitting(target_, target_, axes).empty();
    const Array copied = fit ? target_
                             : empty_with_innermost(target_.shape(), target_.dtype(),
                                                    last_of(axes, kMaxFftAxes), target_.device());
    copy_padded(copied, current_, false, scale_);
    current_ = copied;
    is_owned_ = true;
    axes = sorted_axes(current_);
  }
  transform_complex(std::move(axes), true);
  finish();
}

Axes Transform::with_halved(const Axes& others, int count) const {
  Axes axes = last_of(others, points(halved()) > 1 ? count : 0);
  axes.push_back(halved());
  return axes;
}

Axes Transform::fitting_halved(const Array& source, const Array& target, const Axes& others) const {
  const int most = static_cast<int>(std::min<size_t>(others.size(), kMaxFftAxes - 1));
  for (int count = most; count >= 0; --count)
    if (const Axes some = with_halved(others, count);
        fits(plan_for(request_.type, source, target, some)))
      return some;
  return {};
}

void Transform::run_from_real(const Array& source) {
  const DType dtype = real_dtype(target_.dtype());
  current_ = cropped(source, request_.axes, request_.lengths);
  Shape shape = target_.shape();
  shape[halved()] = request_.lengths.back();
  const bool is_plain = current_.dtype() == dtype && current_.shape() == shape;
  Array from = is_plain ? current_ : empty_like(source, shape, dtype, 'K');
  Array to = target_;
  Axes others = sorted_axes(target_);
  Axes some = fitting_halved(from, to, others);
  const bool moves = some.empty();
  if (moves) {
    some = with_halved(others, kMaxFftAxes - 1);
    from = empty_with_innermost(shape, dtype, some, to.device());
    to = empty_with_innermost(target_.shape(), target_.dtype(), some, to.device());
  }
  if (moves || !is_plain) copy_padded(from, current_, false, scale_);
  std::erase_if(others, [&](int axis) { return std::ranges::find(some, axis) != some.end(); });
  FftPlan plan = plan_for(request_.type, from, to, some);
  queue(plan, to, others.empty());
  transform_complex(others, true);
  finish();
}

void Transform::run_to_real(const Array& source) {
  Shape lengths = request_.lengths, shape = target_.shape();
  lengths[lengths.size() - 1] = shape[halved()] = request_.lengths.back() / 2 + 1;
  const DType dtype = fft_dtype(target_.dtype());
  Array spectrum = empty_like(source, shape, dtype, 'K');
  Array to = target_;
  Axes others = sorted_axes(spectrum);
  Axes some = fitting_halved(spectrum, to, others);
  if (some.empty()) {
    some = with_halved(others, kMaxFftAxes - 1);
    spectrum = empty_with_innermost(shape, dtype, some, to.device());
    to = empty_with_innermost(target_.shape(), target_.dtype(), some, to.device());
  }
  copy_padded(spectrum, cropped(source, request_.axes, lengths), request_.conjugates, scale_);
  current_ = spectrum;
  is_owned_ = true;
  std::erase_if(others, [&](int axis) { return std::ranges::find(some, axis) != some.end(); });
  transform_complex(others, false);
  if (!is_same_view(current_, spectrum)) {
    assign(spectrum, current_);
    current_ = spectrum;
  }
  FftPlan plan = plan_for(request_.type, current_, to, some);
  queue(plan, to, true);
  finish();
}

void Transform::finish() {
  if (is_same_view(current_, target_))
    scale_.apply(target_);
  else
    scale_.copy(target_, current_);
}

bool has_repeats(const Axes& axes) {
  for (size_t k = 1; k < axes.size(); ++k)
    if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(k), axes[k]) !=
        axes.begin() + static_cast<std::ptrdiff_t>(k))
      return true;
  return false;
}

// Transforms over one axis after the other, some of them again, in NumPy's order: the halved axis
// comes first for real numbers and last for those that become real, and else from the last to the
// first.
Array transform_one_by_one(const Array& source, const FftRequest& request, const Array* out) {
  const bool is_to_real = request.type == FftType::complex_to_real;
  const int count = static_cast<int>(request.axes.size());
  Array current = source;
  if (is_to_real && request.conjugates) {
    const Operand operands[] = {source};
    current = elementwise(Op::conjugate, operands);
  }
  for (int step = 0; step < count; ++step) {
    const int place = is_to_real ? step : count - 1 - step;
    const bool is_last = step == count - 1;
    FftRequest one = request;
    one.axes = {request.axes[static_cast<size_t>(place)]};
    one.lengths = {request.lengths[place]};
    if (place < count - 1) one.type = FftType::complex_to_complex;
    one.conjugates = request.conjugates && !is_to_real && is_last;
    if (!is_last) one.scale = 1;
    current = fft(current, one, is_last ? out : nullptr);
  }
  return current;
}

// Returns whether the transform can be computed in `out` at once.
bool takes_results(const Array& out, const Array& source, DType dtype, const FftRequest& request) {
  if (out.dtype() != dtype) return false;
  if (!shares_memory(out, source)) return true;
  return request.type == FftType::complex_to_complex && is_same_view(out, source);
}

}  // namespace

DType fft_dtype(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
    case DType::complex64:
      return DType::complex64;
    default:
      return DType::complex128;
  }
}

Shape fft_shape(const Shape& source, const FftRequest& request) {
  Shape shape = source;
  for (size_t k = 0; k < request.axes.size(); ++k)
    shape[request.axes[k]] = request.lengths[static_cast<int>(k)];
  if (request.type == FftType::real_to_complex)
    shape[request.axes.back()] = request.lengths.back() / 2 + 1;
  return shape;
}

Array fft(const Array& source, const FftRequest& request, const Array* out) {
  const Operand operand = source;
  common_device(std::span(&operand, 1), out, request.what);
  if (request.type == FftType::real_to_complex && is_complex(source.dtype()))
    throw TypeError(std::string(request.what) + ": expected real numbers, got " +
                    name(source.dtype()));
  if (has_repeats(request.axes)) return transform_one_by_one(source, request, out);
  DType dtype = fft_dtype(source.dtype());
  if (request.type == FftType::complex_to_real) dtype = real_dtype(dtype);
  const Shape shape = fft_shape(source.shape(), request);
  if (out != nullptr) require_out(*out, shape, dtype, request.what);
  const bool is_direct = out != nullptr && takes_results(*out, source, dtype, request);
  const Array target = is_direct ? *out : empty_like(source, shape, dtype, 'K');
  if (target.size() > 0) {
    Transform transform(request, target);
    if (request.type == FftType::complex_to_complex) transform.run_complex(source);
    if (request.type == FftType::real_to_complex) transform.run_from_real(source);
    if (request.type == FftType::complex_to_real) transform.run_to_real(source);
    if (request.type != FftType::complex_to_real && request.conjugates) conjugate_in_place(target);
  }
  if (out == nullptr) return target;
  if (!is_direct) assign(*out, target);
  return *out;
}

}  // namespace gpuarray::ops
