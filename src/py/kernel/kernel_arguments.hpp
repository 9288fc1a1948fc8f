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

// The arguments of one launch: checked and converted, then launched. Allocates nothing where they
// are few.
class KernelArguments {
 public:
  // `strided`: arrays of any layout.
  KernelArguments(const KernelState& state, bool strided) : state_(state), strided_(strided) {}
  KernelArguments(const KernelArguments&) = delete;
  KernelArguments& operator=(const KernelArguments&) = delete;

  // Throws TypeError for a wrong count or type, ValueError, OverflowError, DeviceError.
  void take(PyObject* const* args, Py_ssize_t count);
  // Opens the arrays on `stream` and queues the launch; copies host arrays in before and out after.
  void launch(const LaunchConfig& config, const StreamPtr& stream);

 private:
  static constexpr size_t kFewBytes = 512, kFew = 16;

  struct HostCopy {
    size_t index;
    Ref argument;  // an In, Out or InOut
    Ref array;     // on the device
  };

  void take_one(PyObject* object, size_t index);
  void take_array(PyObject* object, size_t index);
  void take_other(PyObject* object, size_t index);
  void take_bytes(const std::string& bytes, PyObject* object, size_t index);
  void copy_in(const StreamPtr& stream);
  void copy_out(const StreamPtr& stream);
  [[noreturn]] void refuse(size_t index, const std::string& what) const;  // TypeError

  const KernelState& state_;
  const bool strided_;
  unsigned char* bytes_ = few_bytes_;
  void** pointers_ = few_pointers_;
  BufferUse* uses_ = few_uses_;
  size_t use_count_ = 0;
  std::vector<HostCopy> host_copies_;
  std::vector<Ref> kept_;  // arrays of other libraries, while the launch is queued
  std::unique_ptr<std::max_align_t[]> more_bytes_;
  std::vector<void*> more_pointers_;
  std::vector<BufferUse> more_uses_;
  void* few_pointers_[kFew];
  BufferUse few_uses_[kFew];
  alignas(16) unsigned char few_bytes_[kFewBytes];
};

// Puts a number as the parameter has it into `to`. Throws TypeError, OverflowError.
void store_number(const Scalar& scalar, const KernelState& state, size_t index, unsigned char* to);

}  // namespace gpuarray::py
