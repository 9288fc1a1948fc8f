// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <vector>

#include "py/binding/ref.hpp"
#include "runtime/buffer/access.hpp"

namespace gpuarray::py {

struct ArrayUse {
  PyObject* array;  // borrowed
  bool writes;
};

// Opens arrays of one device for work that the caller queues itself on `stream`. While it exists
// the arrays stay alive, and uses by others are ordered before or after that work. May be destroyed
// on any thread.
class OpenedArrays {
 public:
  // Opens the arrays for work on `given`, a stream as to_stream() takes it. Throws ValueError if
  // there are no arrays or if a read-only one is to be written, DeviceError if they are on several
  // devices.
  OpenedArrays(const std::vector<ArrayUse>& uses, PyObject* given, const char* what);
  ~OpenedArrays();
  OpenedArrays(const OpenedArrays&) = delete;
  OpenedArrays& operator=(const OpenedArrays&) = delete;

  const StreamPtr& stream() const { return stream_; }
  // Returns whether this thread constructed it.
  bool is_of_this_thread() const { return thread_ == this_thread_number(); }

 private:
  const uint64_t thread_ = this_thread_number();
  StreamPtr stream_;
  std::vector<BufferPtr> buffers_;
  std::unique_ptr<BufferAccess> access_;
};

}  // namespace gpuarray::py
