// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "py/binding/ref.hpp"
#include "runtime/memory/memory.hpp"

namespace gpuarray::py {

// Memory of a Python object with allocate(nbytes, stream) -> int, or an object with `ptr` that is
// kept until the free, and deallocate(ptr, nbytes, stream). Its exceptions reach the caller of an
// allocation; in a free they go to sys.unraisablehook.
class ExternalResource final : public MemoryResource {
 public:
  // TypeError for an object without the two methods.
  ExternalResource(PyObject* allocator, Device device);
  ~ExternalResource() override;
  Device device() const override { return device_; }
  void* allocate(int64_t nbytes, const Stream& stream) override;
  void deallocate(void* data, int64_t nbytes, const Stream& stream) noexcept override;
  void add_usage(MemoryUsage& usage) const override { usage.used += used_; }
  std::string describe() const override { return "ExternalResource"; }
  PyObject* allocator() const { return allocator_; }

 private:
  void* pointer_of(PyObject* result);
  Ref take_owner(void* data);

  PyObject* allocator_;  // owned
  const Device device_;
  std::mutex mutex_;  // never held while Python runs
  std::unordered_map<void*, PyObject*> owners_;
  std::atomic<int64_t> used_ = 0;
};

}  // namespace gpuarray::py
