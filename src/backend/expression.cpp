// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/expression.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "core/layout.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {

Expression::Expression(ExpressionText text, std::vector<ExpressionParameter> parameters,
                       size_t most)
    : text_(std::move(text)),
      parameters_(std::move(parameters)),
      label_(kept_for_process(text_.name)) {
  if (parameters_.size() > most)
    throw ValueError(text_.name + ": expected at most " + std::to_string(most) +
                     " parameters, got " + std::to_string(parameters_.size()));
  for (const ExpressionParameter& parameter : parameters_) {
    has_pointers_ |= parameter.role == Role::pointer;
    has_whole_arrays_ |= parameter.role == Role::raw || parameter.role == Role::pointer;
  }
  for (bool written : {true, false})
    for (size_t k = 0; k < parameters_.size(); ++k)
      if (parameters_[k].role == Role::element && parameters_[k].is_written == written)
        operands_.push_back(static_cast<int>(k));
}

uint32_t Expression::reduced_operands() const {
  uint32_t mask = 0;
  for (const RowReduction& reduction : text_.reductions)
    for (int source : reduction.sources)
      for (size_t k = 0; k < operands_.size(); ++k)
        if (operands_[k] == std::max(source, ~source)) mask |= 1u << k;
  return mask;
}

int Expression::value_bytes() const {
  int bytes = 0;
  for (const RowReduction& reduction : text_.reductions)
    bytes = std::max(bytes, reduction.value_bytes);
  return bytes;
}

Expression::Kernel& Expression::kernel(std::string_view key) {
  const auto found = std::ranges::find(kernels_, key, &Kernel::key);
  return found != kernels_.end() ? *found : kernels_.emplace_back(Kernel{std::string(key)});
}

void* Expression::find(std::string_view key) {
  const LockGuard lock(mutex_);
  return kernel(key).handle;
}

void Expression::note_source(const std::string& source) {
  const LockGuard lock(mutex_);
  if (std::ranges::find(sources_, source) == sources_.end()) sources_.push_back(source);
}

std::vector<std::string> Expression::sources() {
  const LockGuard lock(mutex_);
  return sources_;
}

std::pair<std::shared_ptr<std::atomic<bool>>, bool> Expression::claim(std::string_view key) {
  const LockGuard lock(mutex_);
  Kernel& claimed = kernel(key);
  if (claimed.is_ready != nullptr) return {claimed.is_ready, false};
  const bool is_ready = claimed.handle != nullptr;
  claimed.is_ready = std::make_shared<std::atomic<bool>>(is_ready);
  return {claimed.is_ready, !is_ready};
}

void Expression::keep_image(std::string_view key, std::string image) {
  const LockGuard lock(mutex_);
  Kernel& kept = kernel(key);
  kept.image = std::move(image);
  if (kept.is_ready != nullptr) *kept.is_ready = true;
}

std::string Expression::take_image(std::string_view key) {
  const LockGuard lock(mutex_);
  return std::exchange(kernel(key).image, "");
}

void Expression::keep(std::string_view key, void* made) {
  const LockGuard lock(mutex_);
  Kernel& kept = kernel(key);
  if (kept.handle == nullptr) kept.handle = made;
  if (kept.is_ready != nullptr) *kept.is_ready = true;
}

void Constants::add(const void* bytes, size_t size) {
  const size_t alignment = size < 16 ? size : size_t{16};
  const size_t at = (size_ + alignment - 1) / alignment * alignment;
  if (at + size > kMostBytes)
    throw ValueError("the scalars and raw arrays of an expression take more than " +
                     std::to_string(kMostBytes) + " bytes");
  std::memcpy(bytes_ + at, bytes, size);
  size_ = at + size;
}

void collapse_to_rows(Shape& shape, std::span<Strides> strides) {
  const int last = shape.size() - 1;
  const int64_t columns = shape.back();
  std::vector<int64_t> steps;
  shape.erase(last);
  for (Strides& each : strides) {
    steps.push_back(each.back());
    each.erase(last);
  }
  collapse(shape, strides);
  const bool is_one_row = shape.empty();
  if (is_one_row) shape.push_back(1);
  shape.push_back(columns);
  for (size_t k = 0; k < strides.size(); ++k) {
    if (is_one_row) strides[k].push_back(0);
    strides[k].push_back(steps[k]);
  }
}

}  // namespace gpuarray
