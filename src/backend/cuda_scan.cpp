// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/kernel_table.hpp"
#include "backend/scan_launch.hpp"
#include "backend/visit.hpp"
#include "kernels/scan_ops.cuh"
#include "kernels/tuning.hpp"
#include "runtime/buffer.hpp"
#include "runtime/transfer.hpp"

namespace gpuarray {
namespace {

int64_t slot_bytes(Scan scan, DType loop) {
  return visit_dtype(loop, [&]<class T>() -> int64_t {
    switch (scan) {
#define GPUARRAY_SCAN(name, ...) \
  case Scan::name:               \
    return 8 * slot_words(sizeof(typename name##_scanner<T>::accumulator));
#include "kernels/scans.def"
    }
    return 0;
  });
}

}  // namespace

void cuda_scan(Scan scan, DType loop, const ScanPlan& plan, const StreamPtr& stream) {
  ScanLaunch made = plan_scan(plan, itemsize(plan.source_dtype), itemsize(loop));
  KernelHandle kernel = scan_kernel(made.path, scan, plan.source_dtype, loop, stream->device());
  BufferPtr state;
  if (made.slots > 0) {
    state = Buffer::allocate(made.slots * slot_bytes(scan, loop), stream);
    fill_device(state->data(), 0, state->nbytes(), *stream);
    made.params.state = static_cast<uint64_t*>(state->data());
  }
  void* arguments[] = {&made.params};
  launch(kernel, LaunchShape::linear(made.grid, kScanBlock), arguments, *stream,
         {info(scan).name, plan.source_dtype, *plan.source_shape});
}

}  // namespace gpuarray
