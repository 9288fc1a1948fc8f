// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/array.hpp"

#include <utility>

namespace gpuarray {

Array::Array(BufferPtr buffer, DType dtype, const Shape& shape, const Strides& strides,
             int64_t offset, bool writable)
    : buffer_(std::move(buffer)),
      offset_(offset),
      size_(element_count(shape, gpuarray::itemsize(dtype))),
      dtype_(dtype),
      writable_(writable && !buffer_->readonly()),
      c_contiguous_(gpuarray::is_c_contiguous(shape, strides)),
      f_contiguous_(shape.size() < 2 ? c_contiguous_ : gpuarray::is_f_contiguous(shape, strides)),
      shape_(shape),
      strides_(strides) {}

Array Array::in_memory(BufferPtr buffer, DType dtype) const {
  Array made;
  made.buffer_ = std::move(buffer);
  made.size_ = size_;
  made.dtype_ = dtype;
  made.f_contiguous_ = f_contiguous_;
  made.shape_ = shape_;
  made.strides_ = contiguous_strides(shape_);
  return made;
}

Array Array::view(const Shape& shape, const Strides& strides, int64_t offset) const {
  return view_as(dtype_, shape, strides, offset);
}

Array Array::view_as(DType dtype, const Shape& shape, const Strides& strides,
                     int64_t offset) const {
  Array made(buffer_, dtype, shape, strides, offset_ + offset, writable_);
  made.value_ = value_;
  return made;
}

}  // namespace gpuarray
