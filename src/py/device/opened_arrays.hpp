// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <vector>

#include "py/binding/ref.hpp"
#include "runtime/buffer/access.hpp"

namespace gpuarray::py {

struct ArrayUse {
  PyObject* array;
  bool writes;
};

// Arrays of one device, open for work that others queue on `stream`; they live as long. Any thread
// may destroy it.
class OpenedArrays {
 public:
  // `given` is what to_stream takes. ValueError for none at all and for a read-only array that is
  // written, DeviceError for several devices.
  OpenedArrays(const std::vector<ArrayUse>& uses, PyObject* given, const char* what);
  ~OpenedArrays();
  OpenedArrays(const OpenedArrays&) = delete;
  OpenedArrays& operator=(const OpenedArrays&) = delete;

  const StreamPtr& stream() const { return stream_; }
  bool is_of_this_thread() const { return thread_ == this_thread_number(); }

 private:
  const uint64_t thread_ = this_thread_number();
  StreamPtr stream_;
  std::vector<BufferPtr> buffers_;
  std::unique_ptr<BufferAccess> access_;
};

}  // namespace gpuarray::py
