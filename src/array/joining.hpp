// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "array/array.hpp"
#include "core/op.hpp"

namespace gpuarray::ops {

// An element-wise operation that may wait for those that follow, to run together with them
// (array/windows/fusion.hpp). Without an op the operand is converted. An operand is the target
// itself or does not overlap it.
struct Joining {
  std::optional<Op> op;
  DType loop;
  const Array& target;
  std::span<const Operand> operands;
};

// What lets operations wait; null while none does.
inline constinit std::atomic<bool (*)(const Joining&)> join_hook = nullptr;

// Returns whether the operation waits, which may run those before. If not, the caller runs it.
inline bool join_window(const Joining& joining) {
  bool (*const join)(const Joining&) = join_hook.load(std::memory_order_relaxed);
  return join != nullptr && join(joining);
}

}  // namespace gpuarray::ops
