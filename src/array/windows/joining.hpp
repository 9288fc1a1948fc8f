// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <span>

#include "array/array.hpp"
#include "array/windows/fusion_mode.hpp"
#include "backend/index_map.hpp"
#include "backend/steps.hpp"
#include "core/op.hpp"
#include "runtime/buffer/deferred.hpp"

namespace gpuarray {
struct ReducePlan;
}

namespace gpuarray::ops {

// An operation that may wait, and then runs in one group with later operations
// (array/windows/fusion.hpp). It is element-wise or a reduction of rows. An element-wise operation
// without an op converts its operand. An operand is the target itself or does not overlap it.
struct Joining {
  std::optional<Op> op;
  DType loop;
  const Array& target;
  std::span<const Operand> operands;
  // Tell which elements a conversion to the same dtype reads of each operand, in memory that does
  // not overlap the target. None where operands are read at the elements of the target. Several
  // operands have holes, and one of them something for each element.
  std::span<const IndexMap> maps = {};
  // Of the contiguous operand over its last axis, to a new result; null if the operation is
  // element-wise.
  const StepReduction* reduction = nullptr;

  // Returns the array whose elements the operation goes over.
  const Array& whole() const { return reduction == nullptr ? target : *operands[0].array(); }
};

// A reduction of an array that may wait, which can compute it by the operations that wait. The plan
// has the addresses of its memory, which is not open yet.
struct Reducing {
  Reduction reduction;
  DType loop;
  const Array& source;
  const Array& target;
  const ReducePlan& plan;
};

// What the calling thread's recorder does (array/windows/recorder.hpp).
bool join(const Joining& joining);
bool reduce_pending(const Reducing& reducing);
// Whether a reduction of rows may be an operation of a group. One that has no room in the group
// that makes what it reduces computes that by itself, by reduce_window().
bool has_room_for_rows(const Joining& joining);

// Returns whether the operation waits, which may run those before. If not, the caller runs it, and
// a new result has its memory.
inline bool join_window(const Joining& joining) {
  if (mode.load(std::memory_order_relaxed) != Fusion::off && join(joining)) return true;
  if (const BufferPtr& buffer = joining.target.buffer();
      buffer->lacks_memory() && buffer.use_count() == 1)
    buffer->take_memory();
  return false;
}

// Returns a buffer for a new result. Where operations may wait, it gets its memory when they run.
inline BufferPtr memory_for_result(int64_t nbytes, Device device) {
  const StreamPtr& stream = current_stream(device);
  return mode.load(std::memory_order_relaxed) == Fusion::off
             ? Buffer::allocate(nbytes, stream)
             : Buffer::allocate_later(nbytes, stream);
}

// Returns a new result in C order with such memory.
inline Array new_result(const Shape& shape, DType dtype, Device device) {
  const int64_t nbytes = element_count(shape, itemsize(dtype)) * itemsize(dtype);
  return Array(memory_for_result(nbytes, device), dtype, shape, contiguous_strides(shape));
}

// Returns whether the reduction was queued. If not, what waited has run, and the caller runs the
// reduction.
inline bool reduce_window(const Reducing& reducing) {
  return mode.load(std::memory_order_relaxed) != Fusion::off && reduce_pending(reducing);
}

}  // namespace gpuarray::ops
