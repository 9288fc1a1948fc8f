// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <memory>
#include <vector>

#include "py/ref.hpp"
#include "runtime/access.hpp"

namespace gpuarray::py {

struct ArrayUse {
  PyObject* array;
  bool writes;
};

// Arrays of one device, open for work that others queue on `stream`; they live as long.
class OpenedArrays {
 public:
  // `given` is what to_stream takes. ValueError for none at all and for a read-only array that is
  // written, DeviceError for several devices.
  OpenedArrays(const std::vector<ArrayUse>& uses, PyObject* given, const char* what);

  const StreamPtr& stream() const { return stream_; }

 private:
  StreamPtr stream_;
  std::vector<BufferPtr> buffers_;
  std::unique_ptr<BufferAccess> access_;
};

}  // namespace gpuarray::py
