// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// A whole array as an argument of a user's expression, which may read or write any of its elements.
#pragma once

#include "kernels/element/element.cuh"

namespace gpuarray {

// Indices count elements in C order, whatever the strides are. The object does not own the data,
// and bounds are not checked. The host writes the fields of the object one by one, so that their
// order is fixed.
template <class T, int Dims, bool contiguous>
class RawArray {
  using Element = choose_t<is_same_v<T, const bool>, const BoolByte, stored_t<T>>;
  // Reading a bool gives a bool rather than its byte, so that every expression can use it.
  using Given = choose_t<is_same_v<T, const bool>, bool, Element&>;

 public:
  GPUARRAY_HD Given operator[](int64_t index) const {
    if constexpr (contiguous) return data_[index];
    int64_t offset = 0;
#pragma unroll
    for (int axis = Dims - 1; axis > 0; --axis) {
      const int64_t outer = index / shape_[axis];
      offset += (index - outer * shape_[axis]) * strides_[axis];
      index = outer;
    }
    return data_[offset + index * strides_[0]];
  }
  // Returns the element at a position given by one index for each axis, as x.at(i, j).
  template <class... Index>
  GPUARRAY_HD Given at(Index... position) const {
    static_assert(sizeof...(Index) == Dims, "at() takes one index for each axis");
    int64_t offset = 0;
    int axis = 0;
    ((offset += int64_t(position) * strides_[axis++]), ...);
    return data_[offset];
  }
  GPUARRAY_HD int64_t size() const { return size_; }
  GPUARRAY_HD Element* data() const { return data_; }
  GPUARRAY_HD bool is_aligned(int nbytes) const {
    return reinterpret_cast<uint64_t>(data_) % nbytes == 0;
  }
  GPUARRAY_HD const int64_t* shape() const { return shape_; }
  static constexpr int ndim = Dims;

 private:
  static constexpr int kFields = Dims > 0 ? Dims : 1;
  Element* data_;
  int64_t size_;
  int64_t shape_[kFields];
  int64_t strides_[kFields];  // elements
};

}  // namespace gpuarray
