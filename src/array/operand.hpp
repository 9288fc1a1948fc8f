// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <span>
#include <string>

#include "array/array.hpp"
#include "backend/backend.hpp"
#include "runtime/buffer/access.hpp"

// What the operations share: device, shape and overlap of operands, and the one door to their
// memory.
namespace gpuarray::ops {

// Finds the one device of the arrays of a call to `what`.
class CommonDevice {
 public:
  explicit CommonDevice(const char* what) : what_(what) {}

  // Throws DeviceError, which names both devices, if an earlier array is on another device.
  void add(const Array& array) {
    if (first_ == nullptr)
      first_ = &array;
    else if (first_->device() != array.device()) [[unlikely]]
      refuse(array);
  }
  // An array that was added; null if there is none.
  const Array* first() const { return first_; }

 private:
  [[noreturn]] void refuse(const Array& array) const;

  const char* what_;
  const Array* first_ = nullptr;
};

// The device of the array operands. Throws DeviceError if they are on different devices, TypeError
// if all operands are scalars.
Device common_device(std::span<const Operand> operands, const Array* out, const char* what);

// Opens the memory of an operation on a stream. All operands are opened before any work is queued.
class Access : public BufferAccess {
 public:
  using BufferAccess::BufferAccess;

  const void* read(const Array& array) {
    BufferAccess::read(*array.buffer());
    return array.data();
  }
  // Throws ReadOnlyError.
  void* write(const Array& array);
};

// Throws ReadOnlyError "<what>: the array is read-only".
void require_writable(const Array& array, const char* what);

// Throws TypeError unless a result of `dtype` may be written into `out` with casting 'same_kind'.
void require_same_kind(const Array& out, DType dtype, const char* what);
// Throws ShapeError unless `out` is of `shape`, ReadOnlyError, or TypeError as require_same_kind.
void require_out(const Array& out, const Shape& shape, DType dtype, const char* what);

// Whether writing `target` element by element could change `source` before it is read there.
bool overlaps(const Array& target, const Array& source);
// The same where elements are not read and written in the same order.
bool shares_memory(const Array& target, const Array& source);

// The array itself where it is C-contiguous and of `dtype`, else a copy that is.
Array contiguous(const Array& array, DType dtype);

// A plan that writes `target`; operands follow with add_operand, all broadcast to the target's
// shape.
ElementwisePlan plan_for(const Array& target, Access& access);
void add_operand(ElementwisePlan& plan, const Array& array, Access& access);
void add_operand(ElementwisePlan& plan, const Scalar& scalar);
// Collapses the axes; call once all operands are in.
void finish(ElementwisePlan& plan);

}  // namespace gpuarray::ops
