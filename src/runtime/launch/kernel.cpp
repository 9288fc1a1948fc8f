// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/launch/kernel.hpp"

#include "core/error.hpp"
#include "runtime/code/embedded_module.hpp"
#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/launch/queue_launch.hpp"
#include "runtime/stream/launch_log.hpp"

namespace gpuarray {

namespace {

// Lets a kernel start while the previous grid of the stream is ending, which makes queueing it
// cheaper. The kernel must wait for the other's writes itself (kernels/element/grid.cuh).
CUlaunchAttribute* early_start() {
  static CUlaunchAttribute attribute = [] {
    CUlaunchAttribute made{};
    made.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    made.value.programmaticStreamSerializationAllowed = 1;
    return made;
  }();
  return &attribute;
}

}  // namespace

void launch(KernelHandle kernel, const LaunchShape& shape, void** arguments, const Stream& stream,
            const LaunchLabel& label) {
  if (kernel.kernel == nullptr) throw DeviceError("this build has no kernel for this operation");
  DeviceGuard on(stream.device());
  const auto& [grid, block, shared_bytes] = shape;
  const bool early = properties(stream.device()).starts_early;
  const CUlaunchConfig config{grid[0],
                              grid[1],
                              grid[2],
                              block[0],
                              block[1],
                              block[2],
                              shared_bytes,
                              stream_handle(stream.handle()),
                              early ? early_start() : nullptr,
                              early ? 1u : 0u};
  const CUresult status = queue_launch(config, static_cast<CUfunction>(kernel.kernel), arguments,
                                       stream, [&] { return note_launch(label, stream); });
  if (status == CUDA_SUCCESS) [[likely]]
    return;
  if (lacks_device_code(status)) throw_lacks_device_code(stream.device().index);
  check_driver(status, "cuLaunchKernelEx", __FILE__, __LINE__);
}

}  // namespace gpuarray
