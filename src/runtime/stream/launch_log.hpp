// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
//
// The last launches of the process, kept so that a failure, which comes long after its cause, can
// name what may have caused it.
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

struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t shared_bytes = 0;

  static LaunchShape linear(int64_t blocks, int threads) {
    return {{static_cast<uint32_t>(blocks), 1, 1}, {static_cast<uint32_t>(threads), 1, 1}, 0};
  }
};

// What a launch is called when it may have failed.
struct LaunchLabel {
  const char* operation;  // lives for the process
  DType dtype;
  const Shape& shape;
};

// A copy of a launch's name that lives for the process, as the log needs it.
const char* kept_for_process(const std::string& name);
// Notes a launch, over the oldest noted; returns its number. Any thread; takes no lock.
uint64_t note_launch(const LaunchLabel& label, const Stream& stream);
// The same of a user's kernel; its name lives for the process.
uint64_t note_launch(const char* kernel, const LaunchShape& shape, const Stream& stream);
// Notes the Python line that the launch comes from, which costs more.
void note_place(uint64_t number);
// It was not queued after all.
void forget_launch(uint64_t number);

// Where this thread's Python code stands.
struct LaunchPlace {
  static constexpr int kFileBytes = 112;

  uint64_t number = 0;
  int line = 0;
  char file[kFileBytes] = "";  // the end of a longer path
};
// How a place is found; for `py` to say. Called with no lock held that Python could want.
void set_place_finder(void (*find)(LaunchPlace&));

// Blocks until the work queued on the stream, or the device, is done, and notes that its launches
// are. The device's context must be current. Throws CudaError.
void wait_for_work(const Stream& stream);
void wait_for_work(Device device);

// For calls that wait without saying so: the number of the last launch before, and that all up to
// it on the stream are done.
uint64_t last_launch();
void note_done(const Stream& stream, uint64_t up_to);
void note_done(Device device, uintptr_t stream, uint64_t up_to);

// The launches not known to be done, newest first: those after the last wait for their stream
// or for an event there, of
// the last 128 at most. Of all CUDA devices for cpu.
std::vector<Launch> pending_launches(Device device, size_t most);

}  // namespace gpuarray
