// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "array/array.hpp"
#include "backend/backend.hpp"
#include "runtime/buffer/access.hpp"

// What the operations share: the checks of device, shape and overlap, and the access to memory.
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
  // Returns the first array that was added, or null. It is borrowed.
  const Array* first() const { return first_; }

 private:
  [[noreturn]] void refuse(const Array& array) const;

  const char* what_;
  const Array* first_ = nullptr;
};

// Returns the device of the arrays among the operands and `out`. Throws DeviceError if they are on
// different devices, and TypeError if there is no array.
Device common_device(std::span<const Operand> operands, const Array* out, const char* what);

// Opens the memory of an operation on a stream until it goes out of scope, as BufferAccess does. An
// operation opens all its operands before it queues work.
class Access : public BufferAccess {
 public:
  using BufferAccess::BufferAccess;

  // Makes the stream wait for the work that writes the array. Returns the first element's address.
  const void* read(const Array& array) {
    BufferAccess::read(*array.buffer());
    return array.address();
  }
  // Makes the stream wait for all work that uses the array. Returns the first element's address.
  // Throws ReadOnlyError.
  void* write(const Array& array);
};

// Throws ReadOnlyError "<what>: the array is read-only", of values with what can be written.
[[noreturn]] void refuse_write(const Array& array, const char* what);
// Throws as refuse_write if the array is read-only.
inline void require_writable(const Array& array, const char* what) {
  if (!array.writable()) [[unlikely]]
    refuse_write(array, what);
}

// Throws TypeError unless a result of `dtype` can be written into `out` with casting 'same_kind'.
void require_same_kind(const Array& out, DType dtype, const char* what);
// Throws ShapeError unless `out` has `shape`, ReadOnlyError if it is read-only, and TypeError as
// require_same_kind does.
void require_out(const Array& out, const Shape& shape, DType dtype, const char* what);

// Returns how many bytes after `other` the array begins, both being on one device; nullopt if they
// lie in two buffers that own their memory, or of which one has none yet. Two buffers may have
// borrowed one memory, or one that the other owns.
std::optional<int64_t> distance(const Array& array, const Array& other);
// Returns whether writing `target` element by element could change an element of `source` before it
// is read. An array does not overlap itself in this sense.
bool overlaps(const Array& target, const Array& source);
// Returns the same for operations that read and write in different orders, where an array does
// overlap itself.
bool shares_memory(const Array& target, const Array& source);

// Returns the array itself if it is C-contiguous and of `dtype`, else such a copy, which is made on
// the current stream.
Array contiguous(const Array& array, DType dtype);

// Begins a plan that writes `target`, whose memory it opens. The plan borrows the target's shape.
// The operands follow with add_operand. Throws ReadOnlyError.
ElementwisePlan plan_for(const Array& target, Access& access);
// Adds an operand, broadcast to the target's shape, and opens its memory.
void add_operand(ElementwisePlan& plan, const Array& array, Access& access);
void add_operand(ElementwisePlan& plan, const Scalar& scalar);
// Collapses the axes. Must be called once, after all operands were added.
void finish(ElementwisePlan& plan);

}  // namespace gpuarray::ops
