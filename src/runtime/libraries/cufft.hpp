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

// Queues batches of one plan on `stream`, one after the other, each transform multiplied by
// `scale`, and opens the memory that they use. The plan is taken from the device's cache, or made,
// which takes a tenth of a second and holds no lock; a work area is allocated and freed in stream
// order. Thread-safe, and may be captured. The key needs no functions. Returns whether results are
// scaled, as they are when large transforms are asked for again. Throws OutOfMemory, DeviceError
// without cuFFT, and CudaError "cufftXtExec: <status>".
bool queue_ffts(const FftPlanKey& key, std::span<const FftBatch> batches,
                std::span<const BufferUse> uses, bool forward, double scale,
                const StreamPtr& stream, const LaunchLabel& label);
// Does so for a plan that needs functions, out of place and into memory that the results fill.
// Returns false, with nothing queued, unless the transform is large and asked for again, and cuFFT
// takes functions.
bool queue_walked_fft(const FftPlanKey& key, const FftBatch& batch, std::span<const BufferUse> uses,
                      bool forward, const StreamPtr& stream, const LaunchLabel& label);

// How the plans of a device were found.
struct FftCacheInfo {
  int64_t hits = 0;
  int64_t misses = 0;  // plans that were made
  int64_t plans = 0;   // that are kept and not in use
  int64_t limit = 0;
  std::string refusal;  // why plans get no functions, "" as far as is known
};
FftCacheInfo fft_cache_info(Device device);
// Destroys the kept plans of the device and forgets the counts. It may wait for the device.
void clear_fft_cache(Device device);

}  // namespace gpuarray
