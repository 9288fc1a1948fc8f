// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/libraries/cublas.hpp"

#include "core/error.hpp"
#include "core/thread_safety.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/driver/blocking.hpp"
#include "runtime/driver/cublas_library.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/stream/queue_noted.hpp"

namespace gpuarray {
namespace {

// A device's handle of cuBLAS, and what it was last set to.
struct Handle {
  Mutex mutex;
  CublasHandle value = nullptr;
  uintptr_t stream GUARDED_BY(mutex) = ~uintptr_t{0};
  const void* workspace GUARDED_BY(mutex) = nullptr;
  int64_t workspace_bytes GUARDED_BY(mutex) = 0;
  bool has_mode GUARDED_BY(mutex) = false;

  explicit Handle(CublasHandle created) : value(created) {}
};

std::string text_of(const LaunchLabel& label) {
  return std::string(label.operation) + "(" + to_string(label.shape) + ", " + name(label.dtype) +
         ")";
}

[[noreturn]] void throw_status(CublasStatus status, const std::string& call,
                               const std::string& what) {
  const std::string name = cublas().cublasGetStatusName(status);
  const std::string text =
      what + ": " + call + ": " + name + ": " + cublas().cublasGetStatusString(status);
  if (status == kCublasAllocFailed) throw OutOfMemory(text);
  throw CudaError(text, status, name);
}

void check(CublasStatus status, const char* call, const std::string& what) {
  if (status != kCublasSuccess) [[unlikely]]
    throw_status(status, call, what);
}

CublasHandle create_handle(int index) {
  DeviceGuard on(Device::cuda(index));
  CublasHandle handle = nullptr;
  check(cublas().cublasCreate_v2(&handle), "cublasCreate", to_string(Device::cuda(index)));
  return handle;
}

Handle& handle_of(Device device) {
  static PerDevice<Handle> all;
  return all.get(device.index, [](int index) { return Handle(create_handle(index)); });
}

// Sets the handle's mode, once, and its stream and workspace where they differ. Setting a stream
// makes cuBLAS forget the workspace.
void set_up(Handle& handle, const Stream& stream, const Buffer& workspace) REQUIRES(handle.mutex) {
  if (!handle.has_mode)
    check(cublas().cublasSetMathMode(handle.value, kCublasMath), "cublasSetMathMode", "matmul");
  handle.has_mode = true;
  if (handle.stream != stream.handle()) {
    handle.stream = ~uintptr_t{0};
    handle.workspace = nullptr;
    check(cublas().cublasSetStream_v2(handle.value, stream_handle(stream.handle())),
          "cublasSetStream", "matmul");
    handle.stream = stream.handle();
  }
  if (handle.workspace == workspace.data() && handle.workspace_bytes == workspace.nbytes()) return;
  handle.workspace = nullptr;
  check(cublas().cublasSetWorkspace_v2(handle.value, workspace.data(),
                                       static_cast<size_t>(workspace.nbytes())),
        "cublasSetWorkspace", "matmul");
  handle.workspace = workspace.data();
  handle.workspace_bytes = workspace.nbytes();
}

// Returns whether cuBLAS cannot do the product. What another version or an older device supports is
// not known in advance.
bool is_unfit(CublasStatus status) {
  return status == kCublasNotSupported || status == kCublasInvalidValue ||
         status == kCublasArchMismatch;
}

CublasStatus multiply(CublasHandle handle, const Gemm& gemm) {
  const auto& [m, n, k, batches, a, b, c, alpha, beta, compute, workspace] = gemm;
  auto operation = [](const BlasMatrix& matrix) {
    return matrix.transposed ? kCublasTranspose : kCublasNoTranspose;
  };
  auto type = [](const BlasMatrix& matrix) { return static_cast<int>(matrix.type); };
  void* target = const_cast<void*>(c.data);
  if (batches == 1)
    return cublas().cublasGemmEx_64(handle, operation(a), operation(b), m, n, k, alpha, a.data,
                                    type(a), a.leading, b.data, type(b), b.leading, beta, target,
                                    type(c), c.leading, static_cast<int>(compute),
                                    kCublasDefaultAlgorithm);
  return cublas().cublasGemmStridedBatchedEx_64(
      handle, operation(a), operation(b), m, n, k, alpha, a.data, type(a), a.leading,
      a.batch_stride, b.data, type(b), b.leading, b.batch_stride, beta, target, type(c), c.leading,
      c.batch_stride, batches, static_cast<int>(compute), kCublasDefaultAlgorithm);
}

}  // namespace

bool queue_gemms(std::span<const Gemm> gemms, const StreamPtr& stream, const LaunchLabel& label) {
  DeviceGuard on(stream->device());
  Handle& handle = handle_of(stream->device());
  const BufferPtr workspace = Buffer::allocate(gemms[0].workspace, stream);
  const BlockingLock lock(handle.mutex);
  set_up(handle, *stream, *workspace);
  for (const Gemm& gemm : gemms) {
    const CublasStatus status = queue_noted(
        *stream, [&] { return note_launch(label, *stream); },
        [&] { return multiply(handle.value, gemm); });
    if (status == kCublasSuccess) [[likely]]
      continue;
    if (is_unfit(status) && &gemm == gemms.data()) return false;
    // The failure may come from a lost context, which the driver then reports.
    if (!stream->is_capturing()) stream->done();
    throw_status(status, gemm.batches == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx",
                 text_of(label));
  }
  return true;
}

void queue_cublas(const StreamPtr& stream, const LaunchLabel& label, const std::string& name,
                  int64_t workspace, const std::function<CublasStatus(CublasHandle)>& run) {
  DeviceGuard on(stream->device());
  Handle& handle = handle_of(stream->device());
  const BufferPtr memory = Buffer::allocate(workspace, stream);
  const BlockingLock lock(handle.mutex);
  set_up(handle, *stream, *memory);
  const CublasStatus status = queue_noted(
      *stream, [&] { return note_launch(label, *stream); }, [&] { return run(handle.value); });
  if (status == kCublasSuccess) [[likely]]
    return;
  if (!stream->is_capturing()) stream->done();
  throw_status(status, name, text_of(label));
}

}  // namespace gpuarray
