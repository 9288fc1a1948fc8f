// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <string>
#include <unordered_map>

#include "core/fork.hpp"
#include "py/binding/ref.hpp"
#include "runtime/buffer/access.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray::py {

// Memory from a Python object with allocate(nbytes, stream) and deallocate(ptr, nbytes, stream).
// allocate() returns the address, or an object with `ptr`, which is kept until the memory is freed.
// Exceptions that it raises reach the caller of the allocation; those of deallocate() go to
// sys.unraisablehook. Both are called with the GIL.
class ExternalResource final : public MemoryResource {
 public:
  // Holds a reference to the allocator. Throws TypeError unless it has both methods.
  ExternalResource(PyObject* allocator, Device device);
  ~ExternalResource() override;
  Device device() const override { return device_; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override { usage.used += used_; }
  std::string describe() const override { return "ExternalResource"; }
  PyObject* allocator() const { return allocator_; }

 private:
  // Returns the address that allocate() returned. Keeps the object if it is not an int.
  void* pointer_of(PyObject* result);
  // Returns the object kept for an address, which is kept no longer; null if there is none.
  Ref take_owner(void* data);

  const AccessesInTurn in_turn_;
  PyObject* allocator_;  // owned
  const Device device_;
  HeldAtFork mutex_;  // never held while Python runs
  std::unordered_map<void*, PyObject*> owners_ GUARDED_BY(mutex_);
  std::atomic<int64_t> used_ = 0;
};

}  // namespace gpuarray::py
