// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/device.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// A point in a stream's work. Thread-safe, as far as two threads do not record at once.
class Event {
 public:
  struct Options {
    bool timing = true;
    bool blocking = false;      // waiting threads sleep instead of spinning
    bool interprocess = false;  // needs timing off
  };

  // Throws ValueError for options that exclude each other.
  Event(Device device, Options options);
  // An interprocess event of another process, by its handle. CudaError if it is gone, or this
  // process's own.
  Event(Device device, std::string ipc_handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device device() const { return device_; }
  const Options& options() const { return options_; }
  uintptr_t handle() const { return handle_; }  // a CUevent

  // 64 bytes, by which other processes open it. ValueError unless it is interprocess, DeviceError
  // for cpu.
  std::string ipc_handle() const;

  // Stands for what is queued on `stream` now; again, for that only. DeviceError for a stream of
  // another device.
  void record(const Stream& stream);
  // Whether that is done; true before the first record.
  bool done() const;
  void synchronize() const;
  // Later work on `stream`, of any device, runs after it, and is captured if that was.
  void hold(const StreamPtr& stream) const;
  // Milliseconds from this event to `end`, which is waited for. ValueError where there are none.
  double elapsed_until(const Event& end) const;

 private:
  using Clock = std::chrono::steady_clock;

  void require_uncaptured(const char* what) const;
  // What was queued before the record is done.
  void note_work_done() const;

  Device device_;
  Options options_;
  uintptr_t handle_ = 0;
  std::string ipc_handle_;  // of an event of another process
  bool recorded_ = false;
  bool captured_ = false;  // a place in a graph, not in time
  std::weak_ptr<Recording> recording_;
  uintptr_t stream_ = 0;                        // of the record
  mutable std::atomic<uint64_t> launches_ = 0;  // the last one before the record; 0 once noted
  Clock::time_point time_;                      // of the record on cpu
};

using EventPtr = std::shared_ptr<Event>;

}  // namespace gpuarray
