// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "core/host_bytes.hpp"
#include "runtime/device/page_locked.hpp"
#include "runtime/driver/driver_types.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/transfer/worker.hpp"

namespace gpuarray {

// One copy that several lanes work on: each takes the next chunk until none is left. Thread-safe.
class StagedCopy {
 public:
  // `chunk_bytes` is a multiple of the itemsize. `host` must outlive the copy.
  StagedCopy(const void* device_data, const HostBytes& host, int64_t chunk_bytes)
      : device_data(reinterpret_cast<uintptr_t>(device_data)),
        host(host),
        chunk_bytes_(chunk_bytes) {}

  struct Chunk {
    int64_t begin = 0;
    int64_t nbytes = 0;  // 0 if there is no chunk left
  };
  // Takes the next chunk.
  Chunk take();
  // Makes take() return no more chunks, after an error.
  void stop() { next_ = host.nbytes(); }

  const CUdeviceptr device_data;
  const HostBytes& host;

 private:
  int64_t chunk_bytes_;
  std::atomic<int64_t> next_ = 0;
};

// What one thread needs to stage copies: two page-locked slots, and a stream on each device. While
// the thread fills or empties one slot, the device copies the other.
class StagingLane {
 public:
  // Throws OutOfMemory when the system locks no more memory, CudaError.
  explicit StagingLane(int64_t chunk_bytes);
  ~StagingLane();

  int64_t chunk_bytes() const { return chunk_bytes_; }
  // Returns the thread that runs the lane's tasks, null if the system gives none.
  Worker* worker();
  // Returns whether a copy may be under way for which the driver did not wait. The lane must then
  // be destroyed; its slots are never freed.
  bool is_broken() const { return is_broken_; }
  // Returns the stream that this lane queues its copies on.
  const Stream& stream(Device device) { return *queue(device).stream; }

  // Copy this lane's share of the chunks to or from the device. The last chunks of copy_in() may
  // still be under way on stream(device) on return. If they throw, no copy is left under way,
  // unless the lane is broken.
  void copy_in(StagedCopy& copy, Device device);
  void copy_out(StagedCopy& copy, Device device);

 private:
  struct Slot {
    explicit Slot(int64_t nbytes) : memory(nbytes) {}
    PageLocked memory;
    // Recorded after the device's last copy of the slot; null if none is pending.
    CUevent pending = nullptr;
    StagedCopy::Chunk chunk;  // chunk that copy_out has yet to write to the host memory
  };
  // The stream and the events of the lane on one device.
  struct DeviceQueue {
    StreamPtr stream;
    CUevent events[2] = {};  // one a slot
  };
  // Returns the lane's stream and events on the device, created at the first use.
  DeviceQueue& queue(Device device);
  // Run the loops of copy_in() and copy_out().
  void fill_slots(StagedCopy& copy, const DeviceQueue& queue);
  void empty_slots(StagedCopy& copy, const DeviceQueue& queue);
  // Stops a copy after an error, and waits for the chunks that are under way.
  void stop(StagedCopy& copy, const DeviceQueue& queue) noexcept;
  // Waits until the device no longer uses the slot.
  static void wait_for(Slot& slot);

  int64_t chunk_bytes_;
  Slot slots_[2];
  bool is_broken_ = false;
  std::map<int, DeviceQueue> queues_;  // by device index
  std::optional<Worker> worker_;
};

}  // namespace gpuarray
