// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"

namespace gpuarray {

// A view of host memory of any layout, addressed as if its elements were packed in C order. It does
// not own the memory, which has to outlive it.
class HostBytes {
 public:
  // Views `nbytes` contiguous bytes.
  HostBytes(const void* data, int64_t nbytes);
  // Views an array. `strides` are in bytes and need not be multiples of `itemsize`.
  HostBytes(const void* data, const Shape& shape, const Strides& strides, int itemsize);

  int64_t nbytes() const { return nbytes_; }
  // Whether the memory is already packed, so that it can be copied from data() in one piece.
  bool contiguous() const { return shape_.size() == 1 && strides_[0] == itemsize_; }
  char* data() const { return data_; }

  // Whether any byte from the first to the last that this view may touch lies in [begin, begin +
  // nbytes).
  bool overlaps(const void* begin, int64_t nbytes) const;

  // Copies the packed bytes [begin, begin + nbytes) to or from the contiguous memory `packed`. Both
  // numbers are multiples of the itemsize. Thread-safe for ranges that do not overlap.
  void read(void* packed, int64_t begin, int64_t nbytes) const;
  void write(const void* packed, int64_t begin, int64_t nbytes) const;

 private:
  template <class Row>
  void walk(int64_t begin, int64_t nbytes, Row&& row) const;

  char* data_;
  int64_t nbytes_;
  Shape shape_;      // of merged axes, at least one
  Strides strides_;  // bytes
  int itemsize_;
};

}  // namespace gpuarray
