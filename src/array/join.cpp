// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <vector>

#include "array/indexing.hpp"
#include "array/operand.hpp"
#include "array/ops.hpp"
#include "backend/devices/backend_of.hpp"
#include "core/error.hpp"
#include "core/promote.hpp"

namespace gpuarray::ops {
namespace {

constexpr int64_t kMostWords = int64_t{1} << 30;  // bytes of a part, whose positions fit 32 bits

// Returns the view of the target that a part fills.
Array section(const Array& target, int axis, int64_t begin, int64_t extent) {
  Shape shape = target.shape();
  shape[axis] = extent;
  return target.view(shape, target.strides(), begin * target.strides()[axis] * target.itemsize());
}

int64_t bytes_from(const Array& array, int axis) {
  int64_t bytes = array.itemsize();
  for (int k = axis; k < array.ndim(); ++k) bytes *= array.shape()[k];
  return bytes;
}

// Returns the shape of the parts side by side.
Shape joined_shape(std::span<const Array> parts, int axis) {
  Shape joined = parts[0].shape();
  for (const Array& part : parts.subspan(1)) {
    const Shape& shape = part.shape();
    if (shape.size() != joined.size())
      throw ShapeError(
          "concatenate: all the input arrays must have same number of dimensions, got shapes " +
          to_string(parts[0].shape()) + " and " + to_string(shape));
    for (int k = 0; k < shape.size(); ++k)
      if (k != axis && shape[k] != joined[k])
        throw ShapeError("concatenate: all axes but axis " + std::to_string(axis) +
                         " must match, got shapes " + to_string(parts[0].shape()) + " and " +
                         to_string(shape));
    joined[axis] += shape[axis];
  }
  return joined;
}

DType promoted(std::span<const Array> parts) {
  std::vector<DType> dtypes;
  for (const Array& part : parts) dtypes.push_back(part.dtype());
  return promote(dtypes);
}

char joint_order(std::span<const Array> parts) {
  for (const Array& part : parts)
    if (part.is_c_contiguous() || !part.is_f_contiguous()) return 'C';
  return 'F';
}

// Writes the parts into `target`, which has their joint shape. Contiguous parts of its dtype are
// copied together, the others one by one.
void join(const Array& target, std::span<const Array> parts, int axis) {
  if (target.is_f_contiguous() && !target.is_c_contiguous()) {
    std::vector<Array> turned;
    for (const Array& part : parts) turned.push_back(transpose(part));
    return join(transpose(target), turned, target.ndim() - 1 - axis);
  }
  JoinPlan plan;
  plan.dtype = target.dtype();
  plan.target_shape = &target.shape();
  plan.pitch = bytes_from(target, axis);
  plan.rows = target.size() == 0 ? 0 : target.nbytes() / plan.pitch;
  int64_t begin = 0;
  std::vector<Array> kept;  // the parts, of which those that overlap the target are copied
  for (const Array& part : parts) kept.push_back(overlaps(target, part) ? copy(part) : part);
  std::vector<const Array*> blocks;
  for (const Array& part : kept) {
    const int64_t extent = part.shape()[axis];
    const bool is_block = target.is_c_contiguous() && part.is_c_contiguous() &&
                          part.dtype() == target.dtype() && part.nbytes() < kMostWords &&
                          part.device() == target.device();
    if (part.size() > 0 && is_block) {
      plan.parts.push_back({nullptr, begin * bytes_from(target, axis + 1), bytes_from(part, axis)});
      blocks.push_back(&part);
    } else if (part.size() > 0) {
      assign(section(target, axis, begin, extent), part);
    }
    begin += extent;
  }
  if (blocks.empty()) return;
  Access access(current_stream(target.device()));
  for (size_t k = 0; k < blocks.size(); ++k) plan.parts[k].source = access.read(*blocks[k]);
  plan.target = access.write(target);
  backend_of(target.device()).join(plan, access.stream());
}

}  // namespace

Array concatenate(std::span<const Array> parts, int axis, const Array* out,
                  std::optional<DType> dtype) {
  const Shape shape = joined_shape(parts, axis);
  if (out == nullptr) {
    const DType target = dtype ? *dtype : promoted(parts);
    const Array made = empty(shape, target, parts[0].device(), joint_order(parts));
    join(made, parts, axis);
    return made;
  }
  if (out->shape() != shape)
    throw ShapeError("concatenate: out has shape " + to_string(out->shape()) + ", expected " +
                     to_string(shape));
  require_writable(*out, "concatenate");
  join(*out, parts, axis);
  return *out;
}

}  // namespace gpuarray::ops
