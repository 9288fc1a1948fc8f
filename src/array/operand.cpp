// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"

#include <cstdint>

#include "array/ops.hpp"
#include "core/error.hpp"

namespace gpuarray::ops {

void CommonDevice::refuse(const Array& array) const {
  throw DeviceError(std::string(what_) + ": operands are on different devices, " +
                    to_string(first_->device()) + " and " + to_string(array.device()) +
                    "; copy one with to_device()");
}

Device common_device(std::span<const Operand> operands, const Array* out, const char* what) {
  CommonDevice common(what);
  for (const Operand& operand : operands)
    if (operand.array() != nullptr) common.add(*operand.array());
  if (out != nullptr) common.add(*out);
  if (common.first() == nullptr)
    throw TypeError(std::string(what) + ": expected at least one array");
  return common.first()->device();
}

void refuse_write(const Array& array, const char* what) {
  throw ReadOnlyError(std::string(what) + ": the array is read-only" +
                      (array.is_value()
                           ? ": a value, as a[i] gives; a[i:i+1] or a[i, ...] is a view"
                           : "; its copy() can be written"));
}

void require_same_kind(const Array& out, DType dtype, const char* what) {
  if (!can_cast(dtype, out.dtype(), Casting::same_kind))
    throw TypeError(std::string(what) + ": cannot write a result of dtype " + name(dtype) +
                    " into an array of dtype " + name(out.dtype()) + " with casting 'same_kind'");
}

void require_out(const Array& out, const Shape& shape, DType dtype, const char* what) {
  if (out.shape() != shape)
    throw ShapeError(std::string(what) + ": out has shape " + to_string(out.shape()) +
                     ", expected " + to_string(shape));
  require_writable(out, what);
  require_same_kind(out, dtype, what);
}

void* Access::write(const Array& array) {
  require_writable(array, "write");
  BufferAccess::write(*array.buffer());
  return array.address();
}

std::optional<int64_t> distance(const Array& array, const Array& other) {
  if (array.buffer() == other.buffer()) return array.offset() - other.offset();
  if (array.buffer()->owned() && other.buffer()->owned()) return std::nullopt;
  if (array.buffer()->lacks_memory() || other.buffer()->lacks_memory()) return std::nullopt;
  return array.address() - other.address();
}

bool overlaps(const Array& target, const Array& source) {
  if (target.device() != source.device() || target.size() == 0 || source.size() == 0) return false;
  const std::optional<int64_t> begin = distance(target, source);
  if (!begin) return false;
  // If both are the same array, each element is read in the step that writes it.
  if (*begin == 0 && target.dtype() == source.dtype() && target.shape() == source.shape() &&
      target.strides() == source.strides())
    return false;
  Extent written = byte_extent(target.shape(), target.strides(), target.itemsize());
  Extent read = byte_extent(source.shape(), source.strides(), source.itemsize());
  return *begin + written.begin < read.end && read.begin < *begin + written.end;
}

bool shares_memory(const Array& target, const Array& source) {
  return overlaps(target, source) || distance(target, source) == 0;
}

Array contiguous(const Array& array, DType dtype) {
  if (array.dtype() != dtype) return astype(array, dtype, 'C');
  return array.is_c_contiguous() ? array : copy(array);
}

ElementwisePlan plan_for(const Array& target, Access& access) {
  ElementwisePlan plan;
  plan.shape = target.shape();
  plan.target_shape = &target.shape();
  plan.size = target.size();
  plan.add(target.dtype(), access.write(target)) = target.strides();
  return plan;
}

void add_operand(ElementwisePlan& plan, const Array& array, Access& access) {
  plan.add(array.dtype(), access.read(array)) =
      broadcast_strides(array.shape(), array.strides(), plan.shape);
}

void add_operand(ElementwisePlan& plan, const Scalar& scalar) {
  plan.add(scalar) = Strides(plan.shape.size(), 0);
}

void finish(ElementwisePlan& plan) { collapse(plan.shape, plan.all_strides()); }

}  // namespace gpuarray::ops
