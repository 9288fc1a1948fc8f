// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "runtime/driver/driver.hpp"
#include "runtime/stream/queue_noted.hpp"

namespace gpuarray {

// Queues a kernel on the stream that `config` names, as queue_noted() does.
template <class Note>
CUresult queue_launch(const CUlaunchConfig& config, CUfunction function, void** arguments,
                      const Stream& stream, Note&& note) {
  return queue_noted(stream, note, [&] {
    return GPUARRAY_CALL(cuLaunchKernelEx(&config, function, arguments, nullptr));
  });
}

}  // namespace gpuarray
