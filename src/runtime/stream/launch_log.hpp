// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
// The log of the process's last launches. A failure is reported long after its cause; the log lets
// the report name the launches that may have caused it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/dims.hpp"
#include "core/dtype.hpp"
#include "core/launch.hpp"
#include "runtime/stream/stream.hpp"

namespace gpuarray {

// How a kernel is launched: blocks, threads a block, and bytes of dynamic shared memory.
struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;

  // Makes a shape of one dimension without shared memory.
  static LaunchShape linear(int64_t blocks, int threads) {
    return {{static_cast<uint32_t>(blocks), 1, 1}, {static_cast<uint32_t>(threads), 1, 1}, 0};
  }
};

// The operation that a kernel is launched for, as a report names it.
struct LaunchLabel {
  const char* operation;  // text that lives for the process
  DType dtype;
  const Shape& shape;
};

// Returns a copy of the name that lives for the process, as the log needs it. Equal names share a
// copy.
const char* kept_for_process(const std::string& name);
// Notes a launch in place of the oldest one and returns its number, for the functions below. Call
// it before the kernel is queued. Thread-safe, and takes no lock.
uint64_t note_launch(const LaunchLabel& label, const Stream& stream);
// Notes a launch of a user's kernel, whose name must live for the process.
uint64_t note_launch(const char* kernel, const LaunchShape& shape, const Stream& stream);
// Notes the call site of the launch (call_site()). It takes a lock and may call Python.
void note_call_site(uint64_t number);
// Removes a launch that could not be queued.
void forget_launch(uint64_t number);

// Blocks until the work queued on the stream, or on the device, is done, and notes that its
// launches are done. The device's context must be current. Throws CudaError for work that failed;
// for a device CaptureError while a graph is being captured on it.
void wait_for_work(const Stream& stream);
void wait_for_work(Device device);

// For calls that wait for a stream by other means: last_launch() returns the number of the last
// launch before the call, and note_done() then notes that all launches on the stream up to it are
// done.
uint64_t last_launch();
void note_done(const Stream& stream, uint64_t up_to);
void note_done(Device device, uintptr_t stream, uint64_t up_to);

// Returns at most `most` launches that are not known to be done, newest first: those after the last
// wait for their stream, or for an event on it. The log holds the last 128 launches and waits. For
// cpu it returns those of all CUDA devices.
std::vector<Launch> pending_launches(Device device, size_t most);

}  // namespace gpuarray
