// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "array/advanced_index.hpp"

#include <string>

#include "array/select.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr Index kAll{IndexKind::slice, 0, INT64_MAX, 1};

// Finds out whether the entries that take part in broadcasting stand side by side, and after how
// many axes of the result.
class Adjacency {
 public:
  void add_indexed(int axes_before) {
    if (!seen_) position_ = axes_before;
    if (ended_) position_ = 0;
    seen_ = true;
  }
  void add_other() { ended_ = seen_; }
  int position() const { return position_; }

 private:
  int position_ = 0;
  bool seen_ = false;
  bool ended_ = false;
};

struct Mask {
  Array array;
  int axis;    // the first axis of the view that it covers
  int number;  // the array's axis
};

class KeyWalk {
 public:
  KeyWalk(const Array& array, std::span<const KeyEntry> key) : array_(array) {
    const int skipped = array.ndim() - count_axes(key);
    for (const KeyEntry& entry : key) add(entry, skipped);
    result_.view = index_view(array, basic_);
    result_.position = adjacency_.position();
    result_.may_repeat = masks_.size() != 1 || !result_.axes.empty();
    look_up_masks();
    set_shape();
  }

  IndexedView take() { return std::move(result_); }

 private:
  int count_axes(std::span<const KeyEntry> key) const {
    int axes = 0, ellipses = 0;
    for (const KeyEntry& entry : key) {
      const IndexKind kind = entry.basic.kind;
      if (entry.array)
        axes += entry.array->dtype() == DType::bool_ ? entry.array->ndim() : 1;
      else
        axes += kind == IndexKind::integer || kind == IndexKind::slice;
      ellipses += !entry.array && kind == IndexKind::ellipsis;
    }
    if (ellipses > 1) throw IndexError("an index can only have a single ellipsis ('...')");
    if (axes <= array_.ndim()) return axes;
    throw IndexError("too many indices for array: array is " + std::to_string(array_.ndim()) +
                     "-dimensional, but " + std::to_string(axes) + " were indexed");
  }

  void add(const KeyEntry& entry, int skipped) {
    if (entry.array) return add_array(*entry.array);
    basic_.push_back(entry.basic);
    switch (entry.basic.kind) {
      case IndexKind::integer:
        adjacency_.add_indexed(others_);
        ++number_;
        return;
      case IndexKind::newaxis:
        return add_others(1, 0);
      case IndexKind::slice:
        return add_others(1, 1);
      case IndexKind::ellipsis:
        return add_others(skipped, skipped);
    }
  }

  void add_others(int axes, int of_array) {
    adjacency_.add_other();
    others_ += axes;
    view_axis_ += axes;
    number_ += of_array;
  }

  void add_array(const Array& array) {
    adjacency_.add_indexed(others_);
    const bool is_mask = array.dtype() == DType::bool_;
    const int axes = is_mask ? array.ndim() : 1;
    if (is_mask && axes == 0) {
      flags_.push_back(Shape{host_flag(array)});
      return;
    }
    if (is_mask) {
      require_mask_fits(array_, array, number_);
      masks_.push_back({array, view_axis_, number_});
    } else {
      result_.axes.push_back({array, view_axis_, number_});
    }
    for (int k = 0; k < axes; ++k) basic_.push_back(kAll);
    view_axis_ += axes;
    number_ += axes;
  }

  static int64_t host_flag(const Array& flag) { return ops::count_true(flag).count; }

  // Replaces masks by arrays of indices. A mask gives a single one if the axes that it covers can
  // be merged.
  void look_up_masks() {
    for (size_t k = masks_.size(); k-- > 0;) {
      const Mask& mask = masks_[k];
      const Array flat = ops::nonzero_of(mask.array, merge_axes(mask.axis, mask.array.ndim()));
      for (int row = 0; row < flat.shape()[0]; ++row)
        result_.axes.push_back({flat.view(Shape{flat.shape()[1]}, Strides{1},
                                          row * flat.strides()[0] * flat.itemsize()),
                                mask.axis + row, mask.number + row});
    }
  }

  // Merges axes of the view if their strides allow it, and returns whether they do.
  bool merge_axes(int first, int count) {
    const Array& view = result_.view;
    Shape shape, merged = view.shape();
    Strides strides, merged_strides = view.strides();
    int64_t extent = 1;
    for (int k = 0; k < count; ++k) {
      shape.push_back(view.shape()[first + k]);
      strides.push_back(view.strides()[first + k]);
      extent *= shape.back();
    }
    const std::optional<Strides> one = reshape_strides(shape, strides, Shape{extent});
    if (!one) return false;
    for (int k = 1; k < count; ++k) {
      merged.erase(first);
      merged_strides.erase(first);
    }
    merged[first] = extent;
    merged_strides[first] = one->back();
    result_.view = view.view(merged, merged_strides);
    for (IndexedView::Axis& other : result_.axes)
      if (other.axis > first) other.axis -= count - 1;
    return true;
  }

  void set_shape() {
    std::vector<Shape> shapes = flags_;
    for (const IndexedView::Axis& axis : result_.axes) shapes.push_back(axis.indices.shape());
    result_.broadcast = broadcast(shapes);
    Shape others;
    for (int axis = 0; axis < result_.view.ndim(); ++axis) {
      bool indexed = false;
      for (const IndexedView::Axis& each : result_.axes) indexed = indexed || each.axis == axis;
      if (!indexed) others.push_back(result_.view.shape()[axis]);
    }
    if (others.size() + result_.broadcast.size() > kMaxDims)
      throw IndexError("number of dimensions must be within [0, " + std::to_string(kMaxDims) +
                       "], indexing result would have more");
    result_.shape = others;
    for (int k = 0; k < result_.broadcast.size(); ++k)
      result_.shape.insert(result_.position + k, result_.broadcast[k]);
  }

  static Shape broadcast(const std::vector<Shape>& shapes) {
    try {
      return broadcast_shapes(shapes, "");
    } catch (const ShapeError&) {
      std::string text =
          "shape mismatch: indexing arrays could not be broadcast together with shapes";
      for (const Shape& shape : shapes) text += " " + to_string(shape);
      throw IndexError(text);
    }
  }

  const Array& array_;
  IndexedView result_;
  std::vector<Index> basic_;
  std::vector<Mask> masks_;
  std::vector<Shape> flags_;  // the shapes of bools without dimensions
  Adjacency adjacency_;
  int others_ = 0;     // axes of the result so far that are not indexed
  int view_axis_ = 0;  // the next axis of the view
  int number_ = 0;     // the next axis of the array
};

}  // namespace

IndexedView resolve_key(const Array& array, std::span<const KeyEntry> key) {
  return KeyWalk(array, key).take();
}

const Array* only_mask(std::span<const KeyEntry> key) {
  if (key.size() != 1 || !key[0].array || key[0].array->dtype() != DType::bool_) return nullptr;
  return key[0].array->size() > 0 && key[0].array->ndim() > 0 ? &*key[0].array : nullptr;
}

void require_mask_fits(const Array& array, const Array& mask, int axis) {
  if (axis + mask.ndim() > array.ndim())
    throw IndexError("too many indices for array: array is " + std::to_string(array.ndim()) +
                     "-dimensional, but " + std::to_string(axis + mask.ndim()) + " were indexed");
  for (int k = 0; k < mask.ndim(); ++k)
    if (mask.shape()[k] != array.shape()[axis + k] && mask.shape()[k] != 0)
      throw IndexError(
          "boolean index did not match indexed array along axis " + std::to_string(axis + k) +
          "; size of axis is " + std::to_string(array.shape()[axis + k]) +
          " but size of corresponding boolean axis is " + std::to_string(mask.shape()[k]));
}

}  // namespace gpuarray
