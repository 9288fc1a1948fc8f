// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>
#include <optional>

#include "array/array.hpp"
#include "core/layout.hpp"
#include "py/binding/ref.hpp"

// Arrays that other libraries lend us, and what the exchange protocols share.
namespace gpuarray::py {

// Through __dlpack__ or __cuda_array_interface__.
bool is_foreign_array(PyObject* object);
// A GPUArray over the memory of a foreign array, or a copy where the protocol made one; `copy` as
// in import_dlpack.
Ref import_foreign(PyObject* object, std::optional<bool> copy = std::nullopt);

// `device` null is where the data lie; `copy` unset copies where needed. Throws BufferError for
// what cannot be imported.
Ref import_dlpack(PyObject* object, const Device* device, std::optional<bool> copy,
                  PyObject* stream = nullptr);
// Throws ValueError or TypeError for an interface that is malformed or not supported.
// `sync` unset is the process's setting.
Ref import_cuda_array(PyObject* object, std::optional<bool> sync = std::nullopt,
                      PyObject* stream = nullptr);

// Foreign memory laid out as the exchange protocols say.
struct ForeignMemory {
  void* data = nullptr;  // the first element
  Device device;
  MemoryKind kind = MemoryKind::device;
  DType dtype = DType::bool_;
  Shape shape;
  Strides strides;  // elements
  bool readonly = false;
};
// Its bytes, without the first element's place; null and none where it has no elements. Throws
// ValueError for a shape that is none, BufferError for strides beyond the address space.
Extent checked_extent(const ForeignMemory& memory, const char* what);
bool is_aligned(const ForeignMemory& memory);
// An array over it, ready for work on the current stream; `release` runs once when the last view is
// gone, and not if this throws. BufferError for memory that is not aligned for its dtype.
Array borrow_array(const ForeignMemory& memory, const char* what, std::function<void()> release);
// Whether the driver itself orders `stream` with that of the handle: the main one with the legacy
// default stream.
bool driver_orders(uintptr_t handle, const StreamPtr& stream);
// Work queued on the current stream from now on runs after what is queued on the stream of that
// handle.
void wait_for_handle(Device device, uintptr_t handle);
// A release that drops this reference, on any thread.
std::function<void()> keep_alive(PyObject* object);

}  // namespace gpuarray::py
