// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/buffer/access.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/libraries/fft_plan_key.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// The addresses of a batch of transforms. Both may be the same if the layouts are, for complex
// numbers. A transform to real numbers overwrites its input.
struct FftBatch {
  const void* input;
  void* output;
};

// Queues batches of one plan on `stream`, one after the other, and opens the memory that they use.
// The plan is taken from the device's cache, or made, which takes a tenth of a second and holds no
// lock; a work area is allocated and freed in stream order. Thread-safe, and may be captured.
// Throws OutOfMemory, DeviceError without cuFFT, and CudaError "cufftXtExec: <status>".
void queue_ffts(const FftPlanKey& key, std::span<const FftBatch> batches,
                std::span<const BufferUse> uses, bool forward, const StreamPtr& stream,
                const LaunchLabel& label);

// How the plans of a device were found.
struct FftCacheInfo {
  int64_t hits = 0;
  int64_t misses = 0;  // plans that were made
  int64_t plans = 0;   // that are kept and not in use
  int64_t limit = 0;
};
FftCacheInfo fft_cache_info(Device device);
// Destroys the kept plans of the device and forgets the counts. It may wait for the device.
void clear_fft_cache(Device device);

}  // namespace gpuarray
