// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <atomic>
#include <memory>

#include "core/made_first.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/stream/main_stream.hpp"

namespace gpuarray {
namespace {

// The streams that this thread has chosen, by device index. A null entry, or no table, means the
// main stream.
thread_local std::unique_ptr<StreamPtr[]> chosen;
// Whether any thread ever chose one, without which nobody looks at its own.
std::atomic<bool> is_any_chosen = false;
thread_local std::unique_ptr<StreamPtr[]> own;  // this thread's default streams, by device index

StreamPtr& entry(std::unique_ptr<StreamPtr[]>& table, Device device) {
  if (table == nullptr) table = std::make_unique<StreamPtr[]>(kMaxCudaDevices);
  return table[device.index];
}

const StreamPtr& cpu_stream() {
  static constinit MadeFirst<StreamPtr> stream;
  return stream.get([] { return StreamPtr(new Stream(Device::cpu(), 0, false)); });
}

}  // namespace

const StreamPtr& main_stream(Device device) {
  if (device.is_cpu()) return cpu_stream();
  static PerDevice<StreamPtr> streams;
  return streams.get(device.index, [](int index) {
    return create_stream(Device::cuda(index), /*non_blocking=*/false);
  });
}

const StreamPtr& thread_stream(Device device) {
  StreamPtr& stream = entry(own, device);
  if (stream == nullptr) stream = std::make_shared<Stream>(device, CU_STREAM_PER_THREAD, false);
  return stream;
}

StreamPtr for_this_thread(const StreamPtr& stream) {
  return stream->is_per_thread() ? thread_stream(stream->device()) : stream;
}

const StreamPtr& current_stream(Device device) {
  const StreamPtr& main = main_stream(device);
  if (device.is_cpu() || !is_any_chosen.load(std::memory_order_relaxed)) return main;
  return chosen == nullptr || chosen[device.index] == nullptr ? main : chosen[device.index];
}

StreamPtr set_current_stream(StreamPtr stream, Device device) {
  StreamPtr before = current_stream(device);
  if (device.is_cpu()) return before;
  is_any_chosen = true;
  entry(chosen, device) = stream == nullptr ? nullptr : for_this_thread(stream);
  return before;
}

}  // namespace gpuarray
