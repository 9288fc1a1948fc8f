// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/fourier/fft_copies.hpp"

#include <algorithm>
#include <numeric>

#include "array/indexing.hpp"
#include "array/ops.hpp"

namespace gpuarray::ops {
namespace {

// Returns a view of the elements from `begin` on along one axis.
Array part(const Array& array, int axis, int64_t begin, int64_t length) {
  Shape shape = array.shape();
  shape[axis] = length;
  return array.view(shape, array.strides(), begin * array.strides()[axis] * array.itemsize());
}

// Returns a view of complex numbers as pairs of real ones, which are multiplied without turning
// infinity into NaN. Arrays of most dimensions stay as they are.
Array reals(const Array& array) {
  if (!is_complex(array.dtype()) || array.ndim() == kMaxDims) return array;
  Shape shape = array.shape();
  shape.push_back(2);
  Strides strides;
  for (int64_t stride : array.strides()) strides.push_back(2 * stride);
  strides.push_back(1);
  return array.view_as(real_dtype(array.dtype()), shape, strides);
}

void multiply_into(const Array& target, const Array& source, double factor) {
  const Operand operands[] = {source, Scalar::weak_float(factor)};
  elementwise(Op::multiply, operands, &target, target.dtype());
}

}  // namespace

Array cropped(const Array& array, const std::vector<int>& axes, const Shape& lengths) {
  Array made = array;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int64_t length = lengths[static_cast<int>(k)];
    if (length < array.shape()[axes[k]]) made = part(made, axes[k], 0, length);
  }
  return made;
}

Array empty_with_innermost(const Shape& shape, DType dtype, const std::vector<int>& innermost,
                           Device device) {
  std::vector<int64_t> order(static_cast<size_t>(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(
      order, [&](int64_t axis) { return std::ranges::find(innermost, axis) == innermost.end(); });
  std::copy(innermost.begin(), innermost.end(),
            order.end() - static_cast<std::ptrdiff_t>(innermost.size()));
  Shape nested;
  for (int64_t axis : order) nested.push_back(shape[static_cast<int>(axis)]);
  const Array made = empty(nested, dtype, device);
  Strides strides = made.strides();
  for (int place = 0; place < nested.size(); ++place)
    strides[static_cast<int>(order[static_cast<size_t>(place)])] = made.strides()[place];
  return made.view(shape, strides);
}

void PendingScale::copy(const Array& target, const Array& source) {
  if (is_done()) return assign(target, source);
  if (is_complex(source.dtype()) == is_complex(target.dtype()))
    multiply_into(reals(target), reals(source), value_);
  else
    multiply_into(target, source, value_);
  done();
}

void PendingScale::apply(const Array& array) {
  if (is_done()) return;
  const Array numbers = reals(array);
  multiply_into(numbers, numbers, value_);
  done();
}

void copy_padded(const Array& target, const Array& source, bool conjugates, PendingScale& scale) {
  Array head = target;  // the part of the target that the source fills
  for (int axis = 0; axis < target.ndim(); ++axis) {
    const int64_t length = source.shape()[axis], whole = target.shape()[axis];
    if (length == whole) continue;
    assign(part(head, axis, length, whole - length), Scalar::weak_int(0));
    head = part(head, axis, 0, length);
  }
  if (source.size() == 0) return;
  if (!conjugates) return scale.copy(head, source);
  const Operand operands[] = {source};
  elementwise(Op::conjugate, operands, &head, head.dtype());
}

void conjugate_in_place(const Array& array) {
  const Operand operands[] = {array};
  elementwise(Op::conjugate, operands, &array);
}

}  // namespace gpuarray::ops
