// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <functional>
#include <optional>

#include "array/array.hpp"
#include "core/layout.hpp"
#include "py/binding/ref.hpp"

// What the exchange protocols share: DLPack, the CUDA array interface and the C API.
namespace gpuarray::py {

// Returns whether the object can be imported through __dlpack__ or __cuda_array_interface__.
bool is_foreign_array(PyObject* object);
// Imports an array of another library by DLPack, or else by the CUDA array interface. `copy` is as
// for import_dlpack. The result keeps the object alive unless it is a copy. Throws what the
// protocol throws.
Ref import_foreign(PyObject* object, std::optional<bool> copy = std::nullopt);

// Makes a GPUArray over the memory of an object with __dlpack__, or over a copy on `device`; a null
// `device` is where the elements are. Unset, `copy` copies where that is needed. Work on `stream`,
// or on the current one, runs after the producer's. The memory is given back when the last view is
// gone. Throws BufferError for what cannot be imported, and where `copy` is false and a copy is
// needed.
Ref import_dlpack(PyObject* object, const Device* device, std::optional<bool> copy,
                  PyObject* stream = nullptr);
// Makes a GPUArray over the memory of an object with __cuda_array_interface__, which it keeps
// alive. If `sync`, work on `stream`, or on the current one, runs after the stream that the
// interface names; unset, `sync` is the setting of the process. Throws ValueError for a malformed
// interface and TypeError for a dtype that is not supported.
Ref import_cuda_array(PyObject* object, std::optional<bool> sync = std::nullopt,
                      PyObject* stream = nullptr);

// Returns whether the object has a CUDA array interface that says that its memory may be written.
bool has_writable_interface(PyObject* object);

// An array of another library, as the exchange protocols describe it.
struct ForeignMemory {
  void* data = nullptr;  // address of the first element
  Device device;
  MemoryKind kind = MemoryKind::device;
  DType dtype = DType::bool_;
  Shape shape;
  Strides strides;  // elements
  bool readonly = false;
  bool is_ready = true;  // for work on the current stream; else the caller orders the streams
};
// Returns the extent of the memory in bytes relative to the first element, which is at 0; empty if
// it has no elements. Throws ValueError for an invalid shape and BufferError for strides that reach
// beyond 2**63 - 1 bytes.
Extent checked_extent(const ForeignMemory& memory, const char* what);
// Returns whether the first element is aligned for its dtype.
bool is_aligned(const ForeignMemory& memory);
// Makes an array over the memory. Memory of a GPUArray is ordered with that, however it came here.
// `release` runs once when the last view is gone, and not if this throws. Throws BufferError for
// memory that is not aligned for its dtype.
Array borrow_array(const ForeignMemory& memory, const char* what, std::function<void()> release);
// Returns whether the driver orders `stream` with the stream of the handle by itself, as it does
// the main stream with the legacy default stream.
bool driver_orders(uintptr_t handle, const StreamPtr& stream);
// Makes work queued on the current stream of `device` from now on run after what is queued on the
// stream of that handle. Does not block.
void wait_for_handle(Device device, uintptr_t handle);
// Returns a function that drops a reference to the object. It may be called on any thread.
std::function<void()> keep_alive(PyObject* object);

}  // namespace gpuarray::py
