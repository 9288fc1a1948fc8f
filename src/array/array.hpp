// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/dtype.hpp"
#include "core/layout.hpp"
#include "core/scalar.hpp"
#include "runtime/buffer/buffer.hpp"

namespace gpuarray {

// An n-d view of a buffer. It holds the buffer alive; a copy of it shares the memory.
class Array {
 public:
  Array() {}  // not defaulted: Array() would clear all the numbers of its shape and strides
  // Strides count elements, `offset` bytes. The array is writable only if its buffer is. Throws
  // ValueError as element_count() does, so that nbytes() never wraps around.
  Array(BufferPtr buffer, DType dtype, const Shape& shape, const Strides& strides,
        int64_t offset = 0, bool writable = true);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }  // elements
  int ndim() const { return shape_.size(); }
  int64_t size() const { return size_; }
  int itemsize() const { return gpuarray::itemsize(dtype_); }
  int64_t nbytes() const { return size_ * itemsize(); }
  int64_t offset() const { return offset_; }  // bytes from the buffer's start
  Device device() const { return buffer_->device(); }
  const BufferPtr& buffer() const { return buffer_; }
  // Takes the buffer from an array that is to be destroyed.
  BufferPtr take_buffer() { return std::move(buffer_); }
  bool writable() const { return writable_; }
  // Whether this is an element that does not change with the array it was taken from, or a view of
  // one: read-only, in memory that nothing else writes.
  bool is_value() const { return value_; }
  // Whether other libraries may take it for writable: nobody else sees what they write to a value.
  bool exports_writable() const { return writable_ || value_; }
  void set_value() {
    value_ = true;
    writable_ = false;
  }
  // Makes a view of a value a read-only array like any other.
  void unset_value() { value_ = false; }
  void set_writable(bool writable) { writable_ = writable; }
  bool is_c_contiguous() const { return c_contiguous_; }
  bool is_f_contiguous() const { return f_contiguous_; }

  // The address of the first element on the array's device, where nothing is pending. Only an
  // Access may use what lies there.
  char* data() const { return static_cast<char*>(buffer_->data()) + offset_; }

  // The same address, once the pending operations that make the content have run.
  char* settle() const { return static_cast<char*>(buffer_->settle()) + offset_; }

  // The same address, for comparing. Nothing need be ready there.
  char* address() const { return static_cast<char*>(buffer_->address()) + offset_; }

  // Returns a C-contiguous array of the same shape in memory of its size. This one must be
  // C-contiguous, too.
  Array in_memory(BufferPtr buffer, DType dtype) const;
  // Returns an array of the same memory with another shape and strides; `offset` counts bytes from
  // this array's first element.
  Array view(const Shape& shape, const Strides& strides, int64_t offset = 0) const;
  // Returns the same with another dtype. The caller has checked that it fits.
  Array view_as(DType dtype, const Shape& shape, const Strides& strides, int64_t offset = 0) const;

 private:
  // A bool that one thread may set while others read it.
  class SetBesideReads {
   public:
    SetBesideReads(bool value) : value_(value) {}
    SetBesideReads(const SetBesideReads& other) : value_(bool{other}) {}
    SetBesideReads& operator=(const SetBesideReads& other) {
      value_.store(other, std::memory_order_relaxed);
      return *this;
    }
    operator bool() const { return value_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> value_;
  };

  BufferPtr buffer_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
  DType dtype_ = DType::float64;
  SetBesideReads writable_ = true;
  bool value_ = false;
  bool c_contiguous_ = true;
  bool f_contiguous_ = true;
  Shape shape_;
  Strides strides_;  // last: a GPUArray ends with the last number in it
};

// An operand of an operation: an array, which is borrowed, or a scalar by value.
class Operand {
 public:
  Operand() = default;
  Operand(const Array& array) : array_(&array) {}
  Operand(const Array&&) = delete;
  Operand(const Scalar& scalar) : scalar_(scalar) {}

  const Array* array() const { return array_; }  // null for a scalar
  const Scalar& scalar() const { return scalar_; }
  DType dtype() const { return array_ != nullptr ? array_->dtype() : scalar_.dtype; }
  bool is_weak() const { return array_ == nullptr && scalar_.weak; }

 private:
  const Array* array_ = nullptr;
  Scalar scalar_;
};

}  // namespace gpuarray
