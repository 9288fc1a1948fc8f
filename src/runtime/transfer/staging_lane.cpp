// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/transfer/staging_lane.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "runtime/device/device.hpp"
#include "runtime/driver/driver.hpp"

namespace gpuarray {

StagedCopy::Chunk StagedCopy::take() {
  const int64_t begin = next_.fetch_add(chunk_bytes_);
  if (begin >= host.nbytes()) return {};
  return {begin, std::min(chunk_bytes_, host.nbytes() - begin)};
}

StagingLane::StagingLane(int64_t chunk_bytes)
    : chunk_bytes_(chunk_bytes), slots_{Slot(chunk_bytes), Slot(chunk_bytes)} {}

StagingLane::~StagingLane() {
  for (auto& [index, queue] : queues_) {
    bool done = false;
    quietly([&] {
      DeviceGuard on(Device::cuda(index));
      queue.stream->finish();
      done = true;
      for (CUevent event : queue.events) GPUARRAY_CALL(cuEventDestroy(event));
    });
    is_broken_ = is_broken_ || !done;
  }
  if (is_broken_)
    for (Slot& slot : slots_) slot.memory.abandon();
}

void StagingLane::stop(StagedCopy& copy, const DeviceQueue& queue) noexcept {
  copy.stop();
  is_broken_ = true;
  quietly([&] {
    queue.stream->finish();
    is_broken_ = false;
  });
  for (Slot& slot : slots_) slot.chunk = {};
}

Worker* StagingLane::worker() {
  if (worker_) return &*worker_;
  try {
    return &worker_.emplace();
  } catch (const std::system_error&) {  // the system starts no more threads
    return nullptr;
  }
}

StagingLane::DeviceQueue& StagingLane::queue(Device device) {
  DeviceQueue& queue = queues_[device.index];
  if (queue.stream == nullptr) queue.stream = create_stream(device);
  for (CUevent& event : queue.events)
    if (event == nullptr) GPUARRAY_CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  return queue;
}

void StagingLane::wait_for(Slot& slot) {
  if (slot.pending == nullptr) return;
  GPUARRAY_CHECK(cuEventSynchronize(slot.pending));
  slot.pending = nullptr;
}

void StagingLane::fill_slots(StagedCopy& copy, const DeviceQueue& queue) {
  const CUstream stream = stream_handle(queue.stream->handle());
  for (int k = 0;; k = 1 - k) {
    const auto [begin, nbytes] = copy.take();
    if (nbytes == 0) return;
    Slot& slot = slots_[k];
    wait_for(slot);
    copy.host.read(slot.memory.data(), begin, nbytes);
    slot.pending = queue.events[k];
    GPUARRAY_CHECK(cuMemcpyHtoDAsync(copy.device_data + static_cast<CUdeviceptr>(begin),
                                     slot.memory.data(), static_cast<size_t>(nbytes), stream));
    GPUARRAY_CHECK(cuEventRecord(slot.pending, stream));
  }
}

void StagingLane::empty_slots(StagedCopy& copy, const DeviceQueue& queue) {
  const CUstream stream = stream_handle(queue.stream->handle());
  auto write_out = [&](Slot& slot) {
    wait_for(slot);
    const auto [begin, nbytes] = std::exchange(slot.chunk, {});
    if (nbytes > 0) copy.host.write(slot.memory.data(), begin, nbytes);
  };
  for (int k = 0;; k = 1 - k) {
    Slot& slot = slots_[k];
    write_out(slot);
    const auto [begin, nbytes] = slot.chunk = copy.take();
    if (nbytes == 0) return write_out(slots_[1 - k]);
    slot.pending = queue.events[k];
    GPUARRAY_CHECK(cuMemcpyDtoHAsync(slot.memory.data(),
                                     copy.device_data + static_cast<CUdeviceptr>(begin),
                                     static_cast<size_t>(nbytes), stream));
    GPUARRAY_CHECK(cuEventRecord(slot.pending, stream));
  }
}

void StagingLane::copy_in(StagedCopy& copy, Device device) {
  DeviceQueue& used = queue(device);
  try {
    fill_slots(copy, used);
  } catch (...) {
    stop(copy, used);
    throw;
  }
}

void StagingLane::copy_out(StagedCopy& copy, Device device) {
  DeviceQueue& used = queue(device);
  try {
    empty_slots(copy, used);
  } catch (...) {
    stop(copy, used);
    throw;
  }
}

}  // namespace gpuarray
