// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/host_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/layout.hpp"

namespace gpuarray {
namespace {

// Copies `count` elements between two rows. A memcpy of a constant size compiles to one move, which
// may be unaligned.
template <int Itemsize>
void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, Itemsize);
}

void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count,
              int itemsize) {
  if (to_step == itemsize && from_step == itemsize) {
    std::memcpy(to, from, static_cast<size_t>(count * itemsize));
    return;
  }
  switch (itemsize) {
    case 1:
      return copy_elements<1>(to, to_step, from, from_step, count);
    case 2:
      return copy_elements<2>(to, to_step, from, from_step, count);
    case 4:
      return copy_elements<4>(to, to_step, from, from_step, count);
    case 8:
      return copy_elements<8>(to, to_step, from, from_step, count);
    default:
      return copy_elements<16>(to, to_step, from, from_step, count);
  }
}

}  // namespace

HostBytes::HostBytes(const void* data, int64_t nbytes)
    : data_(static_cast<char*>(const_cast<void*>(data))),
      nbytes_(nbytes),
      shape_{nbytes},
      strides_{1},
      itemsize_(1) {}

HostBytes::HostBytes(const void* data, const Shape& shape, const Strides& strides, int itemsize)
    : data_(static_cast<char*>(const_cast<void*>(data))),
      nbytes_(element_count(shape) * itemsize),
      shape_(shape),
      strides_(strides),
      itemsize_(itemsize) {
  if (nbytes_ == 0) {
    shape_ = {0};
    strides_ = {itemsize};
    return;
  }
  merge_axes(shape_, std::span(&strides_, 1));
  if (!shape_.empty()) return;
  shape_ = {1};
  strides_ = {itemsize};
}

bool HostBytes::overlaps(const void* begin, int64_t nbytes) const {
  // byte_extent() is called with an itemsize of 1 because the strides are in bytes; the last
  // element then has itemsize_ - 1 bytes more.
  const Extent extent = byte_extent(shape_, strides_, 1);
  const char* other = static_cast<const char*>(begin);
  return data_ + extent.begin < other + nbytes && other < data_ + extent.end + itemsize_ - 1;
}

// Calls row(address, offset, count) for each stretch of the innermost axis in the packed bytes
// [begin, begin + nbytes). `offset` counts packed bytes from `begin`, `count` elements.
template <class Row>
void HostBytes::walk(int64_t begin, int64_t nbytes, Row&& row) const {
  if (nbytes == 0) return;
  const int inner = shape_.size() - 1;
  Dims index(shape_.size(), 0);
  char* start = data_;  // address of the current row
  int64_t place = begin / itemsize_;
  for (int axis = inner; axis >= 0; --axis) {
    index[axis] = place % shape_[axis];
    place /= shape_[axis];
    if (axis != inner) start += index[axis] * strides_[axis];
  }
  int64_t first = index[inner];
  for (int64_t done = 0; done < nbytes;) {
    const int64_t count = std::min(shape_[inner] - first, (nbytes - done) / itemsize_);
    row(start + first * strides_[inner], done, count);
    done += count * itemsize_;
    first = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
      start += strides_[axis];
      if (++index[axis] < shape_[axis]) break;
      start -= shape_[axis] * strides_[axis];
      index[axis] = 0;
    }
  }
}

void HostBytes::read(void* packed, int64_t begin, int64_t nbytes) const {
  walk(begin, nbytes, [&](const char* from, int64_t offset, int64_t count) {
    copy_row(static_cast<char*>(packed) + offset, itemsize_, from, strides_.back(), count,
             itemsize_);
  });
}

void HostBytes::write(const void* packed, int64_t begin, int64_t nbytes) const {
  walk(begin, nbytes, [&](char* to, int64_t offset, int64_t count) {
    copy_row(to, strides_.back(), static_cast<const char*>(packed) + offset, itemsize_, count,
             itemsize_);
  });
}

}  // namespace gpuarray
