// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// Copies of arrays whose axes are read in pieces, which may wait as readers of memory.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "array/operand.hpp"
#include "array/ops.hpp"
#include "array/windows/joining.hpp"
#include "backend/devices/backend_of.hpp"
#include "backend/steps.hpp"
#include "backend/tuning.hpp"
#include "core/layout.hpp"

namespace gpuarray::ops {
namespace {

Array new_result_like(const Array& source, const Shape& shape, char order) {
  if (order != 'C' && !(order == 'K' && source.is_c_contiguous()))
    return empty_like(source, shape, source.dtype(), order);
  return new_result(shape, source.dtype(), source.device());
}

// Copies the source as the map says, at once.
void copy_now(const Array& target, const Array& source, const IndexMap& map) {
  Access access(current_stream(target.device()));
  Steps steps;
  steps.way = Steps::Way::alone;
  steps.shape = target.shape();
  steps.size = target.size();
  steps.is_plain = false;
  steps.maps.push_back(map);
  steps.memory.emplace_back(access.write(target), target.dtype(), target.strides());
  steps.memory.emplace_back(const_cast<void*>(access.read(source)), source.dtype(),
                            source.strides(), 0);
  Step& step = steps.steps.emplace_back();
  step.loop = step.result = source.dtype();
  step.operand_count = 1;
  step.operands[0] = {StepOperand::From::memory, 1, source.dtype()};
  step.target = 0;
  backend_of(target.device()).steps(steps, access.stream());
}

// Returns the stride along the axis of which those of all parts, and their distances, are
// multiples; 0 if they have none.
int64_t common_stride(std::span<const Array> parts, int axis) {
  int64_t stride = 0;
  for (const Array& part : parts) {
    if (part.shape()[axis] > 1) stride = std::gcd(stride, part.strides()[axis]);
    stride = std::gcd(stride, (part.offset() - parts[0].offset()) / part.itemsize());
  }
  return stride;
}

// Whether the parts are views of one memory, which differ along the axis alone and whose joint
// result is in C order.
bool are_parts_of_one(std::span<const Array> parts, int axis) {
  const Array& first = parts[0];
  for (const Array& part : parts.subspan(1)) {
    if (part.buffer() != first.buffer() || part.dtype() != first.dtype() ||
        part.ndim() != first.ndim())
      return false;
    for (int k = 0; k < part.ndim(); ++k)
      if (k != axis && (part.shape()[k] != first.shape()[k] ||
                        (part.shape()[k] > 1 && part.strides()[k] != first.strides()[k])))
        return false;
    if ((part.offset() - first.offset()) % part.itemsize() != 0) return false;
  }
  return std::ranges::any_of(
      parts, [](const Array& part) { return part.is_c_contiguous() || !part.is_f_contiguous(); });
}

// The elements of an array that pieces read, along each axis.
struct Reading {
  Array source;
  Shape shape;
  IndexMap map;
};

// What a single piece reads is a view.
Reading reading_of(const Array& source, const char* name, std::span<const AxisPieces> axes) {
  Reading reading{source, {}, {name, {}, {}}};
  Shape extents = source.shape();
  Strides strides = source.strides();
  int64_t offset = 0;
  for (const AxisPieces& pieces : axes) {
    const int axis = reading.shape.size();
    reading.shape.push_back(pieces.begin_of(pieces.count));
    reading.map.add_axis(pieces);
    if (reading.map.axes[axis] != 0) continue;
    extents[axis] = reading.shape[axis];
    if (pieces.count == 0) continue;
    offset += pieces.pieces[0].base * strides[axis];
    strides[axis] *= pieces.pieces[0].step;
  }
  if (element_count(reading.shape, source.itemsize()) > 0)
    reading.source = source.view(extents, strides, offset * source.itemsize());
  return reading;
}

// Returns a new array of what is read. If it cannot wait, `copy` writes it.
template <class Copy>
Array copied(const Reading& reading, char order, Copy&& copy) {
  const auto& [source, shape, map] = reading;
  Array target = new_result_like(source, shape, order);
  if (target.size() == 0) return target;
  const Operand operand = source;
  const std::span<const Operand> operands(&operand, 1);
  if (map.pieces.empty())
    compute(std::nullopt, source.dtype(), target, operands);
  else if (!join_window({std::nullopt, source.dtype(), target, operands, {&map, 1}}))
    copy(target);
  return target;
}

// Whether concatenate() of the parts may wait: in C order, in their dtype.
bool may_wait_together(std::span<const Array> parts, int axis) {
  const Array& first = parts[0];
  int64_t nbytes = 0;
  bool is_c_order = false;
  for (const Array& part : parts) {
    if (part.dtype() != first.dtype() || part.device() != first.device() ||
        part.ndim() != first.ndim() || part.size() == 0)
      return false;
    for (int k = 0; k < part.ndim(); ++k)
      if (k != axis && part.shape()[k] != first.shape()[k]) return false;
    nbytes += part.nbytes();
    is_c_order = is_c_order || part.is_c_contiguous() || !part.is_f_contiguous();
  }
  return is_c_order && (mode.load(std::memory_order_relaxed) == Fusion::always ||
                        !first.device().is_cpu() || nbytes >= kHostLeastBytes);
}

// Returns concatenate() of parts of several arrays, each of which is read along its own stretch of
// the axis.
Array join_parts(std::span<const Array> parts, int axis) {
  Shape shape = parts[0].shape();
  shape[axis] = 0;
  for (const Array& part : parts) shape[axis] += part.shape()[axis];
  std::vector<Operand> operands;
  std::vector<IndexMap> maps;
  for (int64_t begin = 0; const Array& part : parts) {
    const int64_t extent = part.shape()[axis];
    AxisPieces pieces;
    pieces.add_hole(begin);
    pieces.add(extent, 0, 1);
    pieces.add_hole(shape[axis] - begin - extent);
    begin += extent;
    IndexMap& map = maps.emplace_back(IndexMap{"concatenate", {}, {}});
    for (int k = 0; k < shape.size(); ++k) map.add_axis(k == axis ? pieces : AxisPieces());
    operands.emplace_back(part);
  }
  const Array target = new_result(shape, parts[0].dtype(), parts[0].device());
  if (!join_window({std::nullopt, target.dtype(), target, operands, maps}))
    concatenate(parts, axis, &target, std::nullopt);
  return target;
}

}  // namespace

Array read_pieces(const Array& source, const char* name, std::span<const AxisPieces> axes,
                  char order, const std::optional<Scalar>& fill) {
  Reading reading = reading_of(source, name, axes);
  if (reading.map.has_holes()) reading.map.fill = fill;
  return copied(reading, order,
                [&](const Array& target) { copy_now(target, reading.source, reading.map); });
}

Array roll(const Array& source, const Dims& shifts) {
  std::vector<AxisPieces> axes(static_cast<size_t>(source.ndim()));
  for (int axis = 0; axis < source.ndim(); ++axis) {
    const int64_t extent = source.shape()[axis];
    if (extent == 0) continue;
    const int64_t shift = (shifts[axis] % extent + extent) % extent;
    axes[static_cast<size_t>(axis)].add(shift, extent - shift, 1);
    axes[static_cast<size_t>(axis)].add(extent - shift, 0, 1);
  }
  return read_pieces(source, "roll", axes, 'K');
}

std::optional<Array> rejoin(std::span<const Array> parts, int axis) {
  if (mode.load(std::memory_order_relaxed) == Fusion::off || parts.size() < 2 ||
      parts.size() > AxisPieces::kMost)
    return std::nullopt;
  if (!are_parts_of_one(parts, axis))
    return may_wait_together(parts, axis) ? std::optional(join_parts(parts, axis)) : std::nullopt;
  const int64_t stride = std::max<int64_t>(common_stride(parts, axis), 1);
  // What each part reads first, counted from the first part, and the bounds of what all read.
  int64_t first[AxisPieces::kMost], step[AxisPieces::kMost], begin = 0, end = 0;
  for (size_t k = 0; k < parts.size(); ++k) {
    const int64_t extent = parts[k].shape()[axis];
    if (parts[k].size() == 0) return std::nullopt;
    first[k] = (parts[k].offset() - parts[0].offset()) / parts[k].itemsize() / stride;
    step[k] = extent > 1 ? parts[k].strides()[axis] / stride : 1;
    const int64_t last = first[k] + (extent - 1) * step[k];
    begin = std::min({begin, first[k], last});
    end = std::max({end, first[k] + 1, last + 1});
  }
  const Array& part = parts[0];
  Shape shape = part.shape();
  Strides strides = part.strides();
  shape[axis] = end - begin;
  strides[axis] = stride;
  std::vector<AxisPieces> axes(static_cast<size_t>(part.ndim()));
  for (int k = 0; k < part.ndim(); ++k)
    if (k != axis) axes[static_cast<size_t>(k)].add(part.shape()[k], 0, 1);
  for (size_t k = 0; k < parts.size(); ++k) {
    if (std::abs(step[k]) > AxisPieces::kMostStep) return std::nullopt;
    axes[static_cast<size_t>(axis)].add(parts[k].shape()[axis], first[k] - begin, step[k]);
  }
  const Array whole = part.view(shape, strides, begin * stride * part.itemsize());
  const Reading reading = reading_of(whole, "concatenate", axes);
  return copied(reading, 'C', [&](const Array& target) {
    // One kernel copies all contiguous parts.
    if (std::ranges::all_of(parts, &Array::is_c_contiguous))
      concatenate(parts, axis, &target, std::nullopt);
    else
      copy_now(target, reading.source, reading.map);
  });
}

}  // namespace gpuarray::ops
