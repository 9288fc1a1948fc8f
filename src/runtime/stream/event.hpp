// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/device.hpp"
#include "core/spin_lock.hpp"
#include "core/thread_safety.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// A point in a stream's work. Thread-safe.
class Event {
 public:
  struct Options {
    bool timing = true;
    bool blocking = false;      // waiting threads sleep instead of spinning
    bool interprocess = false;  // other processes can open it; needs `timing` off
  };

  // Creates an event. Throws ValueError for options that exclude each other, DeviceError for a
  // device that does not exist, CudaError.
  Event(Device device, Options options);
  // Opens an interprocess event of another process by its handle. Throws ValueError for a malformed
  // handle, DeviceError for cpu, CudaError if the event is gone or is this process's own.
  Event(Device device, std::string ipc_handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device device() const { return device_; }
  const Options& options() const { return options_; }
  uintptr_t handle() const { return handle_; }  // the CUevent, 0 on cpu

  // Returns 64 bytes by which other processes open the event. Throws ValueError unless it is
  // interprocess, DeviceError for cpu.
  std::string ipc_handle() const;

  // Makes the event stand for the work that is queued on `stream` now, in place of an earlier
  // record. Throws DeviceError for a stream of another device, CudaError.
  void record(const Stream& stream);
  // Returns whether the recorded work is done; true before the first record. Throws as
  // synchronize().
  bool done() const;
  // Blocks until the recorded work is done. Throws CudaError for work that failed, IndexError for
  // an index out of bounds that the device came upon, CaptureError for an event recorded in a
  // capture.
  void synchronize() const;
  // Makes later work on `stream`, which may be of any device, wait for the recorded work, without
  // blocking the host (but for cpu). If the event was recorded in a capture, the stream joins that.
  // Throws CaptureError for a stream of another capture.
  void make_wait(const StreamPtr& stream) const;
  // Returns the milliseconds from this event to `end`, and waits for both. Throws ValueError for
  // events that were not recorded or measure no time, DeviceError for events of two devices.
  double elapsed_until(const Event& end) const;

 private:
  using Clock = std::chrono::steady_clock;

  // What the event stands for.
  struct Record {
    uint64_t number = 0;    // of the record; 0 before the first
    bool captured = false;  // recorded in a capture: a place in a graph, not a point in time
    std::weak_ptr<Recording> recording{};
    uintptr_t stream = 0;      // that it was recorded on
    uint64_t launches = 0;     // number of the last launch before it; 0 if that is not known
    Clock::time_point time{};  // when it was recorded on cpu

    // Throws CaptureError "<what>: ..." if the event was recorded in a capture.
    void require_uncaptured(const char* what) const;
  };

  Record last_record() const;
  void set_record(Record record);
  // Notes in the launch log that the launches before the record are done, if it is still the last.
  void note_work_done(const Record& record) const;
  // Blocks until the work before a record is done.
  void synchronize(const Record& record) const;

  Device device_;
  Options options_;
  uintptr_t handle_ = 0;
  std::string ipc_handle_;  // handle of an event of another process, "" for our own
  Mutex recording_;         // held while the driver records
  mutable SpinLock lock_;
  mutable Record record_ GUARDED_BY(lock_);
};

using EventPtr = std::shared_ptr<Event>;

}  // namespace gpuarray
