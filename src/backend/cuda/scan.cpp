// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "backend/cuda/scan.hpp"

#include "backend/cuda/kernel_table.hpp"
#include "backend/cuda/operations.hpp"
#include "backend/kernel_source.hpp"
#include "backend/visit.hpp"
#include "kernels/scan/scan_ops.cuh"
#include "kernels/tuning.hpp"
#include "runtime/buffer/buffer.hpp"
#include "runtime/stream/device_memory.hpp"

namespace gpuarray {
namespace {

struct ScanKernel {
  static constexpr size_t kCount = size_t{3} * kScanCount * kDTypeCount * 2;

  ScanPath path;
  Scan scan;
  DType source;
  DType loop;  // the source's dtype, or the one that it is widened to

  int index() const {
    const int row = static_cast<int>(path) * kScanCount + static_cast<int>(scan);
    return (row * kDTypeCount + static_cast<int>(source)) * 2 + (source != loop);
  }
  BuiltKernel built() const {
    static const char* const paths[] = {"rows_", "columns_", "single_columns_"};
    return {"scan", std::string("scan_") + paths[static_cast<int>(path)] + info(scan).name + "_" +
                        source::identifier(source) + "_" + source::identifier(loop)};
  }
  std::string text() const {
    const std::string scanner = std::string(info(scan).name) + "_scanner<" +
                                source::cpp_type(source) + ", " + source::cpp_type(loop) + ">";
    const std::string operations = source::include("scan/scan_ops.cuh");
    const std::string params = source::by_value("ScanParams");
    if (path == ScanPath::rows)
      return source::kernel(operations + source::include("scan/scan_rows.cuh"), params,
                            "scan_rows_kernel<" + scanner + ">(params)",
                            "__launch_bounds__(kScanBlock, scan_rows_resident<" + scanner + ">)");
    const std::string items = path == ScanPath::columns ? "scan_items<" + scanner + ">" : "1";
    return source::kernel(operations + source::include("scan/scan_columns.cuh"), params,
                          "scan_columns_kernel<" + scanner + ", " + items + ">(params)",
                          "__launch_bounds__(kScanBlock, kScanWideResidentBlocks)");
  }
};

constinit KernelFamily<ScanKernel> kernels;

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
  KernelHandle kernel = kernels.find({made.path, scan, plan.source_dtype, loop}, stream->device());
  launch_scan(kernel, made, accumulator_size(scan, loop), nullptr, stream,
              {info(scan).name, plan.source_dtype, *plan.source_shape});
}

}  // namespace gpuarray
