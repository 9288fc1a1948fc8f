// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/random/distribution.hpp"

#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {
namespace {

void require_contiguous(const Array& array, DType dtype, const std::string& what) {
  if (array.dtype() != dtype)
    throw TypeError(what + ": expected dtype " + name(dtype) + ", got " + name(array.dtype()));
  if (!array.is_c_contiguous()) throw ValueError(what + ": expected a contiguous array");
}

void require_target(const DistributionInfo& row, const Array& out) {
  const bool is_single = !row.rows && row.dtype == DType::float64 && out.dtype() == DType::float32;
  require_contiguous(out, is_single ? DType::float32 : row.dtype, row.name);
  if (row.rows && out.ndim() == 0)
    throw ShapeError(std::string(row.name) + ": expected an array of one dimension or more");
}

// Opens the memory of parameter k, of which each draw takes `length` elements.
DistributionParameter opened(const DrawParameter& given, const DistributionPlan& plan,
                             int64_t length, Access& access) {
  if (const double* value = std::get_if<double>(&given)) return {nullptr, *value, 0};
  const Array& array = std::get<Array>(given);
  const char* const what = info(plan.distribution).name;
  require_contiguous(array, DType::float64, what);
  if (array.size() != length && array.size() != length * plan.params.count)
    throw ShapeError(std::string(what) + ": expected a parameter of " + std::to_string(length) +
                     " or " + std::to_string(length * plan.params.count) + " elements, got " +
                     std::to_string(array.size()));
  return {static_cast<const double*>(access.read(array)), 0, array.size() == length ? 0 : length};
}

// Throws unless the key is fit for draws on the device of `out`.
void require_key(const DrawKey& key, const Array& out, const char* what) {
  if (const Array* array = std::get_if<Array>(&key)) {
    require_contiguous(*array, DType::uint64, what);
    if (array->size() != 1) throw ShapeError(std::string(what) + ": expected a key of one element");
  } else if (!out.device().is_cpu()) {
    throw TypeError(std::string(what) + ": expected a key on " + to_string(out.device()));
  }
}

}  // namespace

void draw(Distribution distribution, const DrawKey& key, const Array& out,
          std::span<const DrawParameter> parameters) {
  const DistributionInfo& row = info(distribution);
  CommonDevice device(row.name);
  device.add(out);
  if (const Array* array = std::get_if<Array>(&key)) device.add(*array);
  for (const DrawParameter& given : parameters)
    if (const Array* array = std::get_if<Array>(&given)) device.add(*array);
  require_target(row, out);
  require_key(key, out, row.name);
  require_writable(out, row.name);
  if (static_cast<int>(parameters.size()) != row.parameters ||
      (row.rows && row.parameters == 2 && !std::holds_alternative<Array>(parameters[1])))
    throw TypeError(std::string(row.name) + ": expected other parameters");
  if (out.size() == 0) return;
  const double* const population = std::get_if<double>(parameters.data());
  if (distribution == Distribution::distinct_place && population != nullptr && !(*population >= 1))
    throw ValueError(std::string(row.name) + ": expected a population of 1 or more");
  Access access(current_stream(out.device()));
  DistributionPlan plan{.distribution = distribution, .dtype = out.dtype()};
  plan.shape = &out.shape();
  plan.params.length = row.rows ? out.shape()[out.ndim() - 1] : 1;
  plan.params.count = out.size() / plan.params.length;
  for (int k = 0; k < row.parameters; ++k)
    plan.params.parameters[k] =
        opened(parameters[k], plan, row.rows && k == 1 ? plan.params.length : 1, access);
  const Array* const key_array = std::get_if<Array>(&key);
  plan.params.key = key_array != nullptr ? static_cast<const uint64_t*>(access.read(*key_array))
                                         : &std::get<uint64_t>(key);
  plan.params.target = access.write(out);
  backend_of(out.device()).draw(plan, access.stream());
}

Array sorted_word_order(const DrawKey& key, const Shape& shape, int axis) {
  const Array* const array = std::get_if<Array>(&key);
  const Device device = array != nullptr ? array->device() : Device::cpu();
  const Array words = empty(shape, DType::uint64, device);
  draw(Distribution::sort_words, key, words.view({words.size(), 1}, {1, 1}), {});
  return argsort(words, axis, false);
}

}  // namespace gpuarray::ops
