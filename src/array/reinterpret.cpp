// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <cstdint>
#include <string>

#include "array/indexing.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

void require_contiguous_last_axis(const Array& array) {
  if (array.ndim() == 0)
    throw ValueError(
        "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
  if (array.shape().back() != 1 && array.size() != 0 && array.strides().back() != 1)
    throw ValueError("To change to a dtype of a different size, the last axis must be contiguous");
}

// Returns a view with `ratio` new elements for each old one.
Array split_elements(const Array& array, DType dtype, int ratio) {
  Shape shape = array.shape();
  Strides strides = array.strides();
  const int last = array.ndim() - 1;
  shape[last] *= ratio;
  for (int axis = 0; axis < last; ++axis) strides[axis] *= ratio;
  strides[last] = 1;
  return array.view_as(dtype, shape, strides);
}

// Returns a view with one new element for `ratio` old ones. Throws ValueError unless they fill the
// last axis and every address is a multiple of the new itemsize.
Array join_elements(const Array& array, DType dtype, int ratio) {
  Shape shape = array.shape();
  Strides strides = array.strides();
  const int last = array.ndim() - 1;
  if (shape[last] % ratio != 0)
    throw ValueError(
        "When changing to a larger dtype, its size must be a divisor of the total size in bytes "
        "of the last axis of the array.");
  shape[last] /= ratio;
  bool aligned =
      array.size() == 0 || reinterpret_cast<uintptr_t>(array.address()) % itemsize(dtype) == 0;
  for (int axis = 0; axis < last; ++axis) {
    aligned = aligned && (strides[axis] % ratio == 0 || shape[axis] <= 1 || array.size() == 0);
    strides[axis] /= ratio;
  }
  strides[last] = 1;
  if (!aligned)
    throw ValueError(std::string("view: the elements would not be aligned for ") + name(dtype) +
                     "; copy the array first");
  return array.view_as(dtype, shape, strides);
}

}  // namespace

Array reinterpret(const Array& array, DType dtype) {
  const int from = array.itemsize();
  const int to = itemsize(dtype);
  if (from == to) return array.view_as(dtype, array.shape(), array.strides());
  require_contiguous_last_axis(array);
  return from > to ? split_elements(array, dtype, from / to)
                   : join_elements(array, dtype, to / from);
}

}  // namespace gpuarray
