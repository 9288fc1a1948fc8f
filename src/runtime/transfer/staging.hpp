// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstdint>

#include "core/host_bytes.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// How large copies between ordinary host memory and CUDA devices go through page-locked memory: in
// chunks, by several threads, each with two page-locked slots of its own.
struct StagingSettings {
  int threads;
  int64_t chunk_bytes;
};
// Returns the settings, at first those of GPUARRAY_STAGING_THREADS and GPUARRAY_STAGING_BYTES or
// defaults for this machine. Throws ValueError for a variable that is no number in range.
StagingSettings staging_settings();
// Sets the settings of copies that start from now on. Throws ValueError for numbers out of range.
void set_staging_settings(StagingSettings settings);

// Returns whether copies of so many bytes are faster when staged.
bool worth_staging(int64_t nbytes);

// Copies `source` to packed memory of the stream's device, in stream order. On return the source
// was read, but may not have arrived. Returns false, with nothing copied, if the system locks no
// more memory. Throws CudaError.
bool stage_in(void* target, const HostBytes& source, const Stream& stream);
// Copies packed memory of the stream's device to `target`, after what is queued on `stream` now; on
// return the bytes are in place. Returns false, with nothing copied, if the system locks no more
// memory. Throws CudaError.
bool stage_out(const HostBytes& target, const void* source, const Stream& stream);

}  // namespace gpuarray
