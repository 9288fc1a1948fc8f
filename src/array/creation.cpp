// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/host/scalar.hpp"

namespace gpuarray::ops {

Array empty(const Shape& shape, DType dtype, Device device, char order, MemoryKind kind) {
  const int64_t nbytes = element_count(shape, itemsize(dtype)) * itemsize(dtype);
  return Array(Buffer::allocate(nbytes, current_stream(device), kind), dtype, shape,
               contiguous_strides(shape, order));
}

Array empty_like(const Array& like, const Shape& shape, DType dtype, char order) {
  bool same_rank = shape.size() == like.ndim();
  if (order == 'A') order = like.is_f_contiguous() && !like.is_c_contiguous() ? 'F' : 'C';
  if (order == 'K' && same_rank && !like.is_c_contiguous()) {
    Array made = empty(shape, dtype, like.device());
    return made.view(shape, keep_order_strides(shape, like.strides()));
  }
  return empty(shape, dtype, like.device(), order == 'F' ? 'F' : 'C');
}

Array result_like(const Array& like, DType dtype, char order) {
  if (!like.is_c_contiguous() || order == 'F') return empty_like(like, like.shape(), dtype, order);
  const int64_t nbytes = element_count(like.shape(), itemsize(dtype)) * itemsize(dtype);
  return like.in_memory(memory_for_result(nbytes, like.device()), dtype);
}

Array arange(int64_t length, const Scalar& start, const Scalar& step,
             const std::optional<Scalar>& last, DType dtype, Device device) {
  const Scalar end = last ? cast_scalar(*last, dtype) : Scalar();
  Array out = empty({length}, dtype, device);
  if (length == 0) return out;
  Access access(current_stream(device));
  backend_of(device).arange(dtype, access.write(out), length, cast_scalar(start, dtype),
                            cast_scalar(step, dtype), last ? &end : nullptr, access.stream());
  return out;
}

std::optional<Array> triangle(const Array& source, int64_t offset, bool upper) {
  if (source.device().is_cpu() || source.ndim() < 2 || source.size() == 0 ||
      !source.is_c_contiguous())
    return std::nullopt;
  Array out = empty(source.shape(), source.dtype(), source.device());
  Access access(current_stream(source.device()));
  TrianglePlan plan{source.dtype(),    &out.shape(), access.read(source),
                    access.write(out), offset,       upper};
  if (!backend_of(source.device()).triangle(plan, access.stream())) return std::nullopt;
  return out;
}

}  // namespace gpuarray::ops
