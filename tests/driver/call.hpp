// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "calls.hpp"
#include "work.hpp"

namespace model {

// What functions of a context begin with.
struct Call {
  Lock held = lock();
  int device = current_device();
  Status status = in_host_function ? kNotPermitted : device < 0 ? kInvalidContext : sticky(device);
};

Handle new_handle();  // with the lock

}  // namespace model

#define ENTER       \
  model::Call call; \
  if (call.status != model::kSuccess) return call.status
