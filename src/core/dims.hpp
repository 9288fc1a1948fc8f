// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace gpuarray {

inline constexpr int kMaxDims = 64;

// A short list of numbers, one per axis: the extents of a shape, or strides. The numbers lie in the
// object itself, so that no memory is allocated; copying touches only the numbers in use. The
// caller sees to it that an axis is in [0, size()) and that no more than kMaxDims numbers are
// added.
class Dims {
 public:
  Dims() {}  // not defaulted, because Dims{} would then clear all the numbers
  Dims(std::initializer_list<int64_t> values) {
    for (int64_t value : values) push_back(value);
  }
  // Makes `size` numbers that are all `value`.
  Dims(int size, int64_t value) : size_(size) { std::fill_n(values_, size, value); }
  Dims(const Dims& other) { *this = other; }
  Dims& operator=(const Dims& other) {
    size_ = other.size_;
    if (size_ == 1) [[likely]]  // takes less time than a call of memcpy
      values_[0] = other.values_[0];
    else
      std::copy_n(other.values_, size_, values_);
    return *this;
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](int axis) { return values_[axis]; }
  int64_t operator[](int axis) const { return values_[axis]; }
  int64_t back() const { return values_[size_ - 1]; }
  const int64_t* begin() const { return values_; }
  const int64_t* end() const { return values_ + size_; }
  int64_t* begin() { return values_; }
  int64_t* end() { return values_ + size_; }

  // Adds a number at the end.
  void push_back(int64_t value) {
    assert(size_ < kMaxDims);
    values_[size_++] = value;
  }
  // Inserts a number before the axis, which may be size().
  void insert(int axis, int64_t value) {
    assert(size_ < kMaxDims);
    std::copy_backward(values_ + axis, values_ + size_, values_ + size_ + 1);
    values_[axis] = value;
    ++size_;
  }
  // Removes the axis.
  void erase(int axis) {
    std::copy(values_ + axis + 1, values_ + size_, values_ + axis);
    --size_;
  }
  void clear() { size_ = 0; }

  bool operator==(const Dims& other) const {
    if (size_ != other.size_) return false;
    if (size_ == 1) [[likely]]
      return values_[0] == other.values_[0];
    return std::equal(begin(), end(), other.begin());
  }

 private:
  int size_ = 0;
  int64_t values_[kMaxDims];
};

using Shape = Dims;    // elements along each axis
using Strides = Dims;  // elements between neighbours, may be 0 (broadcast) or negative

// The numbers as Python writes a tuple: "(3, 4)", "(5,)", "()".
std::string to_string(const Dims& dims);

}  // namespace gpuarray
