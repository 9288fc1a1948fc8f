// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "runtime/stream/launch_log.hpp"
#include "runtime/stream/launch_mode.hpp"
#include "runtime/stream/noted_errors.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// Queues work on the stream by `queue`, which returns a status that is 0 for success, and waits for
// the work if launches block. Before that, `note` notes the work in the launch log and returns its
// number. Work that is captured is not noted. Returns the status; throws what a wait throws.
template <class Note, class Queue>
auto queue_noted(const Stream& stream, Note&& note, Queue&& queue) {
  const unsigned int mode = launch_mode();
  const bool captured = stream.is_capturing();
  const uint64_t number = captured ? 0 : note();
  if (mode != 0 && !captured) [[unlikely]]
    note_call_site(number);
  const auto status = queue();
  if (static_cast<int>(status) != 0) [[unlikely]] {
    if (!captured) forget_launch(number);  // it was not queued
  } else if ((mode & kLaunchBlocks) != 0 && !captured) [[unlikely]] {
    wait_for_work(stream);
    raise_noted_errors(stream.device());
  }
  return status;
}

}  // namespace gpuarray
