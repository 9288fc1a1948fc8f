// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/driver.hpp"
#include "runtime/launch_log.hpp"
#include "runtime/launch_mode.hpp"
#include "runtime/stream.hpp"

namespace gpuarray {

// Queues a launch on the stream that `config` names, and waits for it if launches block. `note`
// notes it in the launch log and gives its number; unless it is captured, and so no launch yet.
template <class Note>
CUresult queue_launch(const CUlaunchConfig& config, CUfunction function, void** arguments,
                      const Stream& stream, Note&& note) {
  const unsigned int mode = launch_mode();
  const bool captured = stream.is_capturing();
  const uint64_t number = captured ? 0 : note();
  if (mode != 0 && !captured) [[unlikely]]
    note_place(number);
  const CUresult status = GPUARRAY_CALL(cuLaunchKernelEx(&config, function, arguments, nullptr));
  if (status != CUDA_SUCCESS) [[unlikely]] {
    if (!captured) forget_launch(number);  // it was not queued
  } else if ((mode & kLaunchBlocks) != 0 && !captured) [[unlikely]] {
    wait_for_work(stream);
  }
  return status;
}

}  // namespace gpuarray
