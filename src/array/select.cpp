// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/select.hpp"

#include <array>
#include <limits>
#include <string>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/host/scalar.hpp"
#include "core/error.hpp"
#include "kernels/indexing/select_params.hpp"

namespace gpuarray::ops {
namespace {

void refuse_capture(Device device, const std::string& operation) {
  if (current_stream(device)->is_capturing())
    throw CaptureError(operation +
                       ": the shape of the result depends on data, which a graph under capture "
                       "does not have");
}

// Returns where the sums and the words of a mask of `size` elements lie in the memory at `data`.
MaskFlags parts_of(const void* data, int64_t size) {
  auto* sums = static_cast<int64_t*>(const_cast<void*>(data));
  return {sums, reinterpret_cast<uint16_t*>(sums + mask_tiles(size))};
}

Array packed(const Array& array) { return array.is_c_contiguous() ? array : copy(array); }

void spread(const Array& array, const TrueCount& found, const Array& values) {
  Access access(current_stream(array.device()));
  SelectPlan plan{array.dtype(), array.size(), parts_of(access.read(found.flags), array.size()),
                  access.write(array), const_cast<void*>(access.read(values))};
  backend_of(array.device()).spread(plan, access.stream());
}

void set_values(const Array& array, const Array& mask, const Array& values) {
  if (values.ndim() > 1)
    throw TypeError(
        "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has " +
        std::to_string(values.ndim()) + " dimensions");
  const TrueCount found = count_true(mask);
  if (found.count != values.size())
    throw ValueError("NumPy boolean array indexing assignment cannot assign " +
                     std::to_string(values.size()) + " input values to the " +
                     std::to_string(found.count) + " output values where the mask is true");
  if (found.count == 0) return;
  const bool ready =
      values.dtype() == array.dtype() && values.is_c_contiguous() && !shares_memory(array, values);
  const Array source = ready ? values : astype(values, array.dtype(), 'C');
  if (array.is_c_contiguous()) return spread(array, found, source);
  const Array whole = copy(array);
  spread(whole, found, source);
  assign(array, whole);
}

// Counts the elements of a mask and waits for their number. fill(access, parts) queues the kernel.
template <class Fill>
TrueCount counted(int64_t size, Device device, const Fill& fill) {
  constexpr int64_t kWords = kSelectFlags * sizeof(uint16_t) / sizeof(int64_t);
  const int64_t tiles = mask_tiles(size);
  TrueCount found{empty({tiles * (1 + kWords)}, DType::int64, device)};
  if (tiles == 0) return found;
  {
    Access access(current_stream(device));
    fill(access, parts_of(access.write(found.flags), size));
  }
  const Array last = found.flags.view({}, {}, (tiles - 1) * found.flags.itemsize());
  copy_to_host(last, {&found.count, last.nbytes()}, 'C', true);
  return found;
}

}  // namespace

TrueCount count_true(const Array& mask) {
  refuse_capture(mask.device(), "indexing with a mask");
  const Array flags = packed(mask);
  return counted(flags.size(), flags.device(), [&](Access& access, const MaskFlags& found) {
    backend_of(flags.device())
        .count_true(static_cast<const bool*>(access.read(flags)), flags.size(), found,
                    access.stream());
  });
}

TrueCount count_runs(const Array& sorted, bool equal_nan, const Array& firsts) {
  refuse_capture(sorted.device(), "unique");
  return counted(sorted.size(), sorted.device(), [&](Access& access, const MaskFlags& found) {
    const RunsPlan plan{.dtype = sorted.dtype(),
                        .size = sorted.size(),
                        .equal_nan = equal_nan,
                        .sorted = access.read(sorted),
                        .firsts = static_cast<bool*>(access.write(firsts)),
                        .found = found};
    backend_of(sorted.device()).count_runs(plan, access.stream());
  });
}

std::optional<Array> distinct_values(const Array& source, bool equal_nan, bool few) {
  const Device device = source.device();
  refuse_capture(device, "unique");
  const int64_t count = few ? std::numeric_limits<int64_t>::max() : source.size();
  if (source.size() == 0 || !backend_of(device).may_find_keys(source.dtype(), count))
    return std::nullopt;
  const Array input = packed(source);
  DistinctPlan plan{.dtype = source.dtype(), .count = source.size()};
  const Array range = empty({sizeof(plan.range) / sizeof(int64_t)}, DType::int64, device);
  {
    Access access(current_stream(device));
    plan.source = access.read(input);
    auto* const found = static_cast<KeyRange*>(access.write(range));
    backend_of(device).find_key_range(plan, found, access.stream());
  }
  copy_to_host(range, {&plan.range, sizeof(plan.range)}, 'C', true);
  if (!backend_of(device).may_mark_keys(plan) || (plan.has_nan() && !equal_nan))
    return std::nullopt;
  const TrueCount found = counted(plan.keys(), device, [&](Access& access, const MaskFlags& flags) {
    plan.source = access.read(input);
    plan.found = flags;
    backend_of(device).mark_keys(plan, access.stream());
  });
  const Array values = empty({found.count + plan.has_nan()}, source.dtype(), device);
  Access access(current_stream(device));
  plan.found = parts_of(access.read(found.flags), plan.keys());
  backend_of(device).write_keys(plan, found.count, access.write(values), access.stream());
  return values;
}

Array nonzero_of(const TrueCount& found, const Shape& shape) {
  const Device device = found.flags.device();
  NonzeroPlan plan;
  plan.shape = shape;
  plan.count = found.count;
  const Array indices = empty({plan.shape.size(), found.count}, DType::int64, device);
  if (found.count == 0) return indices;
  Access access(current_stream(device));
  plan.found = parts_of(access.read(found.flags), element_count(shape));
  plan.indices = static_cast<int64_t*>(access.write(indices));
  backend_of(device).nonzero(plan, access.stream());
  return indices;
}

Array nonzero_of(const Array& mask, bool flat) {
  return nonzero_of(count_true(mask), flat ? Shape{mask.size()} : mask.shape());
}

Array select(const Array& array, const Array& mask) { return select(array, count_true(mask)); }

Array select(const Array& array, const TrueCount& found) {
  const Array out = empty({found.count}, array.dtype(), array.device());
  if (found.count == 0) return out;
  const Array source = packed(array);
  Access access(current_stream(array.device()));
  SelectPlan plan{array.dtype(), array.size(), parts_of(access.read(found.flags), array.size()),
                  const_cast<void*>(access.read(source)), access.write(out)};
  backend_of(array.device()).select(plan, access.stream());
  return out;
}

void set_selected(const Array& array, const Array& mask, const Operand& value) {
  const Array* values = value.array();
  if (values != nullptr && (values->size() != 1 || values->ndim() > 1))
    return set_values(array, mask, *values);
  if (values == nullptr) {
    const std::array<Operand, 3> operands{Operand(mask), cast_scalar(value.scalar(), array.dtype()),
                                          Operand(array)};
    elementwise(Op::where, operands, &array);
    return;
  }
  const Array one = astype(values->view({}, {}), array.dtype());
  const std::array<Operand, 3> operands{Operand(mask), Operand(one), Operand(array)};
  elementwise(Op::where, operands, &array);
}

}  // namespace gpuarray::ops
