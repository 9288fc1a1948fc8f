// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "calls.hpp"
#include "work.hpp"

namespace model {

// What each function that needs a context begins with: it holds the lock and checks the context.
struct Call {
  Lock held = lock();
  int device = current_device();
  Status status = in_host_function ? kNotPermitted : device < 0 ? kInvalidContext : sticky(device);
};

// Returns a handle that was never used before. The caller holds the lock.
Handle new_handle();

}  // namespace model

// Holds the lock for the rest of the function, as `call`; returns if the context has an error.
#define ENTER       \
  model::Call call; \
  if (call.status != model::kSuccess) return call.status
