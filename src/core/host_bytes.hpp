// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/dims.hpp"

namespace gpuarray {

// Borrowed host memory of any layout, addressed as the bytes of its elements packed in C order.
class HostBytes {
 public:
  HostBytes(const void* data, int64_t nbytes);
  // `strides` are in bytes; they need not be multiples of `itemsize`.
  HostBytes(const void* data, const Shape& shape, const Strides& strides, int itemsize);

  int64_t nbytes() const { return nbytes_; }
  // Whether the packed bytes are those at data(), one after the other.
  bool contiguous() const { return shape_.size() == 1 && strides_[0] == itemsize_; }
  char* data() const { return data_; }

  // Whether it touches memory in [begin, begin + nbytes).
  bool overlaps(const void* begin, int64_t nbytes) const;

  // Copies the packed bytes [begin, begin + nbytes) to `packed`, or back from there. Both numbers
  // are multiples of the itemsize; any threads may do so at once.
  void read(void* packed, int64_t begin, int64_t nbytes) const;
  void write(const void* packed, int64_t begin, int64_t nbytes) const;

 private:
  template <class Row>
  void walk(int64_t begin, int64_t nbytes, Row&& row) const;

  char* data_;
  int64_t nbytes_;
  Shape shape_;  // merged, at least one axis
  Strides strides_;
  int itemsize_;
};

}  // namespace gpuarray
