// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cusolver.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/queue_noted.hpp"

namespace gpuarray {
namespace {

// A device's handle of cuSOLVER, and the stream that it was last set to.
struct Handle {
  Mutex mutex;
  CusolverHandle value = nullptr;
  CusolverParams params GUARDED_BY(mutex) = nullptr;  // made at the first use
  uintptr_t stream GUARDED_BY(mutex) = ~uintptr_t{0};

  explicit Handle(CusolverHandle created) : value(created) {}
};

const char* name_of(CusolverStatus status) {
  static constexpr const char* kNames[] = {
      "SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",
      "INVALID_VALUE",    "ARCH_MISMATCH",   "MAPPING_ERROR",
      "EXECUTION_FAILED", "INTERNAL_ERROR",  "MATRIX_TYPE_NOT_SUPPORTED",
      "NOT_SUPPORTED"};
  return status >= 0 && status < 10 ? kNames[status] : "UNKNOWN";
}

[[noreturn]] void throw_status(CusolverStatus status, const std::string& call,
                               const std::string& what) {
  const std::string name = std::string("CUSOLVER_STATUS_") + name_of(status);
  const std::string text = what + ": " + call + ": " + name;
  if (status == kCusolverAllocFailed) throw OutOfMemory(text);
  throw CudaError(text, status, name);
}

void check(CusolverStatus status, const char* call, const std::string& what) {
  if (status != kCusolverSuccess) [[unlikely]]
    throw_status(status, call, what);
}

CusolverHandle create_handle(int index) {
  const DeviceGuard on(Device::cuda(index));
  CusolverHandle handle = nullptr;
  check(cusolver().cusolverDnCreate(&handle), "cusolverDnCreate", to_string(Device::cuda(index)));
  return handle;
}

Handle& handle_of(Device device) {
  static PerDevice<Handle> all;
  return all.get(device.index, [](int index) { return Handle(create_handle(index)); });
}

void set_up(Handle& handle, const Stream& stream, const char* what) REQUIRES(handle.mutex) {
  if (handle.params == nullptr)
    check(cusolver().cusolverDnCreateParams(&handle.params), "cusolverDnCreateParams", what);
  if (handle.stream == stream.handle()) return;
  handle.stream = ~uintptr_t{0};
  check(cusolver().cusolverDnSetStream(handle.value, stream_handle(stream.handle())),
        "cusolverDnSetStream", what);
  handle.stream = stream.handle();
}

}  // namespace

void queue_cusolver(const StreamPtr& stream, const LaunchLabel& label, const std::string& name,
                    const std::function<CusolverStatus(CusolverCall&)>& measure,
                    const std::function<CusolverStatus(const CusolverCall&)>& run) {
  const DeviceGuard on(stream->device());
  Handle& handle = handle_of(stream->device());
  BlockingLock lock(handle.mutex);
  set_up(handle, *stream, label.operation);
  CusolverCall call{handle.value, handle.params};
  if (const CusolverStatus status = measure(call); status != kCusolverSuccess) [[unlikely]]
    throw_status(status, name + "_bufferSize", label.operation);
  // Memory resources may be Python's, which is not called under a lock.
  lock.unlock();
  const BufferPtr workspace = Buffer::allocate(static_cast<int64_t>(call.workspace_bytes), stream);
  std::vector<char> host_workspace(call.host_workspace_bytes);
  call.workspace = workspace->data();
  call.host_workspace = host_workspace.data();
  lock.lock();
  set_up(handle, *stream, label.operation);
  const CusolverStatus status =
      queue_noted(*stream, [&] { return note_launch(label, *stream); }, [&] { return run(call); });
  if (status == kCusolverSuccess) [[likely]]
    return;
  // The failure may come from a lost context, which the driver then reports.
  if (!stream->is_capturing()) stream->done();
  throw_status(status, name, label.operation);
}

void require_no_capture(const Stream& stream, const char* operation) {
  if (stream.is_capturing())
    throw CaptureError(std::string(operation) +
                       ": cuSOLVER waits for the device here, which cannot be captured");
}

}  // namespace gpuarray
