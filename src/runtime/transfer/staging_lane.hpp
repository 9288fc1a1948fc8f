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

// One copy that several lanes share: each takes the next chunk until none is left.
class StagedCopy {
 public:
  // `chunk_bytes` is a multiple of the itemsize.
  StagedCopy(const void* device_data, const HostBytes& host, int64_t chunk_bytes)
      : device_data(reinterpret_cast<uintptr_t>(device_data)),
        host(host),
        chunk_bytes_(chunk_bytes) {}

  struct Chunk {
    int64_t begin = 0;
    int64_t nbytes = 0;  // 0: none
  };
  Chunk take();
  // The other lanes find no further chunk.
  void stop() { next_ = host.nbytes(); }

  const CUdeviceptr device_data;
  const HostBytes& host;

 private:
  int64_t chunk_bytes_;
  std::atomic<int64_t> next_ = 0;
};

// A thread's part: two page-locked slots, and a stream on each device. One slot is filled or
// emptied by the thread while the device copies the other.
class StagingLane {
 public:
  // Throws OutOfMemory when the system locks no more memory.
  explicit StagingLane(int64_t chunk_bytes);
  ~StagingLane();

  int64_t chunk_bytes() const { return chunk_bytes_; }
  // Runs the lane's task; null where the system gives no thread.
  Worker* worker();
  // What this lane's copies on `device` are queued on.
  const Stream& stream(Device device) { return *link(device).stream; }

  // The lane's part of a copy, queued on stream(device), where the last chunks of copy_in are still
  // under way on return. Both leave nothing running when they throw.
  void copy_in(StagedCopy& copy, Device device);
  void copy_out(StagedCopy& copy, Device device);

 private:
  struct Slot {
    explicit Slot(int64_t nbytes) : memory(nbytes) {}
    PageLocked memory;
    CUevent pending = nullptr;  // the device uses the memory until then
    StagedCopy::Chunk chunk;    // that copy_out has not yet handed on
  };
  struct Link {
    StreamPtr stream;
    CUevent events[2] = {};  // one a slot
  };
  Link& link(Device device);
  void fill_slots(StagedCopy& copy, const Link& link);
  void empty_slots(StagedCopy& copy, const Link& link);
  static void wait_for(Slot& slot);

  int64_t chunk_bytes_;
  Slot slots_[2];
  std::map<int, Link> links_;  // by device index
  std::optional<Worker> worker_;
};

}  // namespace gpuarray
