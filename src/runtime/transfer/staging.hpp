// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/host_bytes.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// How large copies between ordinary host memory and CUDA devices go through page-locked memory: in
// chunks, each thread with two of its own.
struct StagingSettings {
  int threads;
  int64_t chunk_bytes;
};
// From GPUARRAY_STAGING_THREADS and GPUARRAY_STAGING_BYTES at first, else for this machine. Throws
// ValueError for a variable that is no such number.
StagingSettings staging_settings();
// For copies that start from now on. Throws ValueError for what is out of range.
void set_staging_settings(StagingSettings settings);

// Whether copies of so many bytes gain from staging.
bool worth_staging(int64_t nbytes);

// Copies between all of `host` and packed memory of the stream's CUDA device, with several threads.
// False if nothing was copied because the driver has no page-locked memory left.

// Ordered on `stream`. On return the source is read, not yet arrived.
bool stage_in(void* target, const HostBytes& source, const Stream& stream);
// After what is queued on `stream` now; on return the bytes are in place.
bool stage_out(const HostBytes& target, const void* source, const Stream& stream);

}  // namespace gpuarray
