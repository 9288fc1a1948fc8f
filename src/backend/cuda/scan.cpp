// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/kernel_table.hpp"
#include "backend/scan_launch.hpp"
#include "backend/visit.hpp"
#include "kernels/scan/scan_ops.cuh"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/transfer/transfer.hpp"

namespace gpuarray {
namespace {

int accumulator_size(Scan scan, DType loop) {
  return visit_dtype(loop, [&]<class T>() -> int {
    switch (scan) {
#define GPUARRAY_SCAN(name, ...) \
  case Scan::name:               \
    return sizeof(typename name##_scanner<T>::accumulator);
#include "kernels/scans.def"
    }
    return 0;
  });
}

}  // namespace

void launch_scan(KernelHandle kernel, ScanLaunch made, int accumulator_size, void* constants,
                 const StreamPtr& stream, const LaunchLabel& label) {
  BufferPtr state;
  if (made.slots > 0) {
    const int64_t bytes = made.slots * slot_words(accumulator_size) * int64_t{sizeof(uint64_t)};
    state = Buffer::allocate(bytes, stream);
    fill_device(state->data(), 0, bytes, *stream);
    made.params.state = static_cast<uint64_t*>(state->data());
  }
  void* arguments[] = {&made.params, constants};
  launch(kernel, LaunchShape::linear(made.grid, kScanBlock), arguments, *stream, label);
}

void cuda_scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream) {
  const ScanLaunch made = plan_scan(plan, itemsize(plan.source_dtype), itemsize(loop));
  KernelHandle kernel = scan_kernel(made.path, scan, plan.source_dtype, loop, stream->device());
  launch_scan(kernel, made, accumulator_size(scan, loop), nullptr, stream,
              {info(scan).name, plan.source_dtype, *plan.source_shape});
}

}  // namespace gpuarray
