// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/scalar.hpp"
#include "py/binding/ref.hpp"
#include "py/kernel/kernel_parameters.hpp"
#include "runtime/buffer/access.hpp"

namespace gpuarray::py {

// Checks and converts the arguments of one launch, then queues it. Does not allocate if the
// arguments are few.
class KernelArguments {
 public:
  // `strided` allows arrays that are not C-contiguous. `state` must outlive this object.
  KernelArguments(const KernelState& state, bool strided) : state_(state), strided_(strided) {}
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  // Converts the arguments, which must outlive this object. Throws TypeError for a wrong count or
  // type, ValueError for an array that is not C-contiguous or is read-only, OverflowError for a
  // number out of range, and DeviceError for an array of another device.
  void take(PyObject* const* args, Py_ssize_t count);
  // Queues the launch on `stream`, after pending work on the arrays. Host arrays (In, Out, InOut)
  // are copied to the device before and from it after. Throws CudaError.
  void launch(const LaunchConfig& config, const StreamPtr& stream);

 private:
  // Up to this many bytes and arguments are stored in the object itself.
  static constexpr size_t kFewBytes = 512, kFew = 16;

  // A host array and its copy on the device.
  struct HostCopy {
    size_t index;
    Ref argument;  // an In, Out or InOut of gpuarray.driver
    Ref array;     // the GPUArray; null before the copy
  };

  void take_one(PyObject* object, size_t index);
  void take_array(PyObject* object, size_t index);
  void take_other(PyObject* object, size_t index);
  void take_bytes(const std::string& bytes, PyObject* object, size_t index);
  void copy_in(const StreamPtr& stream);
  void copy_out(const StreamPtr& stream);
  // Throws TypeError for the argument at `index`.
  [[noreturn]] void refuse(size_t index, const std::string& what) const;

  const KernelState& state_;
  const bool strided_;
  unsigned char* bytes_ = few_bytes_;
  void** pointers_ = few_pointers_;
  BufferUse* uses_ = few_uses_;
  size_t use_count_ = 0;
  std::vector<HostCopy> host_copies_;
  std::vector<Ref> kept_;  // imported arrays, until the launch is queued
  std::unique_ptr<std::max_align_t[]> more_bytes_;
  std::vector<void*> more_pointers_;
  std::vector<BufferUse> more_uses_;
  void* few_pointers_[kFew];
  BufferUse few_uses_[kFew];
  alignas(16) unsigned char few_bytes_[kFewBytes];
};

// Writes a number to `to` as the parameter at `index` stores it. Throws TypeError for a number of
// another kind and OverflowError for one out of range.
void store_number(const Scalar& scalar, const KernelState& state, size_t index, unsigned char* to);

}  // namespace gpuarray::py
