// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/driver/cusolver_library.hpp"
#include "runtime/launch/kernel.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// A call of cuSOLVER, and the memory that it works in.
struct CusolverCall {
  CusolverHandle handle;
  CusolverParams params;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
  void* host_workspace = nullptr;
  size_t host_workspace_bytes = 0;
};

// Queues what `run` calls of cuSOLVER on the stream. `measure` asks for the bytes of workspace,
// into the call, which has no memory then; the workspace is freed in stream order. `name` is that
// of the function, for errors; `measure` calls the one of its workspace. Thread-safe. Work that
// does not wait may be captured. Throws OutOfMemory, and CudaError "cusolverDnXgetrf: <status>".
void queue_cusolver(const StreamPtr& stream, const LaunchLabel& label, const std::string& name,
                    const std::function<CusolverStatus(CusolverCall&)>& measure,
                    const std::function<CusolverStatus(const CusolverCall&)>& run);

// Throws CaptureError "<operation>: ..." while the stream captures, for a routine that waits.
void require_no_capture(const Stream& stream, const char* operation);

}  // namespace gpuarray
