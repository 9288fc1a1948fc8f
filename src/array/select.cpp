// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <array>
#include <string>

#include "array/indexed_ops.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/cuda_sort.hpp"
#include "core/error.hpp"
#include "kernels/select_params.hpp"
#include "runtime/capture.hpp"

namespace gpuarray::ops {
namespace {

void refuse_capture(Device device, const std::string& operation) {
  if (current_stream(device)->is_capturing())
    throw CaptureError(operation +
                       ": the shape of the result depends on data, which a graph under capture "
                       "does not have");
}

const bool* read_flags(Access& access, const Array& mask) {
  return static_cast<const bool*>(access.read(mask));
}

const int64_t* read_sums(Access& access, const TrueCount& found) {
  return static_cast<const int64_t*>(access.read(found.sums));
}

Array packed(const Array& array) { return array.is_c_contiguous() ? array : copy(array); }

void spread(const Array& array, const TrueCount& found, const Array& values) {
  Access access(current_stream(array.device()));
  SelectPlan plan{array.dtype(),
                  array.size(),
                  read_flags(access, found.mask),
                  read_sums(access, found),
                  access.write(array),
                  const_cast<void*>(access.read(values))};
  backend_of(array.device()).spread(plan, access.stream());
}

void set_values(const Array& array, const Array& mask, const Array& values) {
  if (values.ndim() > 1)
    throw TypeError(
        "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has " +
        std::to_string(values.ndim()) + " dimensions");
  const TrueCount found = count_true(shares_memory(array, mask) ? copy(mask) : mask);
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

// fill(access, sums) queues what counts the elements of the mask.
template <class Fill>
TrueCount counted(const Array& mask, const Fill& fill) {
  const int64_t tiles = (mask.size() + kSelectTile - 1) / kSelectTile;
  TrueCount found{mask, empty({tiles}, DType::int64, mask.device())};
  if (tiles == 0) return found;
  {
    Access access(current_stream(mask.device()));
    fill(access, static_cast<int64_t*>(access.write(found.sums)));
  }
  const Array last = found.sums.view({}, {}, (tiles - 1) * found.sums.itemsize());
  copy_to_host(last, {&found.count, last.nbytes()}, 'C', true);
  return found;
}

}  // namespace

TrueCount count_true(const Array& mask) {
  refuse_capture(mask.device(), "indexing with a mask");
  const Array flags = packed(mask);
  return counted(flags, [&](Access& access, int64_t* sums) {
    backend_of(flags.device())
        .count_true(read_flags(access, flags), flags.size(), sums, access.stream());
  });
}

TrueCount count_runs(const Array& sorted, bool equal_nan) {
  refuse_capture(sorted.device(), "unique");
  const Array firsts = empty({sorted.size()}, DType::bool_, sorted.device());
  return counted(firsts, [&](Access& access, int64_t* sums) {
    const RunsPlan plan{.dtype = sorted.dtype(),
                        .size = sorted.size(),
                        .equal_nan = equal_nan,
                        .sorted = access.read(sorted),
                        .firsts = static_cast<bool*>(access.write(firsts)),
                        .sums = sums};
    cuda_count_runs(plan, access.stream());
  });
}

Array nonzero_of(const TrueCount& found, const Shape& shape) {
  const Device device = found.mask.device();
  NonzeroPlan plan;
  plan.shape = shape;
  plan.count = found.count;
  const Array indices = empty({plan.shape.size(), found.count}, DType::int64, device);
  if (found.count == 0) return indices;
  Access access(current_stream(device));
  plan.mask = read_flags(access, found.mask);
  plan.sums = read_sums(access, found);
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
  SelectPlan plan{array.dtype(),
                  array.size(),
                  read_flags(access, found.mask),
                  read_sums(access, found),
                  const_cast<void*>(access.read(source)),
                  access.write(out)};
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
