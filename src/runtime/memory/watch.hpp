// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"

// Who allocated what, and when: for as long as somebody asks.
namespace gpuarray {

// Whether anybody does.
inline std::atomic<bool> memory_is_watched = false;

struct LiveBlock {
  const void* data;
  int64_t nbytes;
  Device device;
  MemoryKind kind;
  uintptr_t stream;  // the CUstream it was allocated on
  std::string site;  // "file.py:12", or ""
  double age;        // seconds; infinite for a block that was not recorded
};

// Told by the resources that count; `in_use` are the bytes of that kind and device, afterwards.
void note_allocated(const void* data, int64_t nbytes, Device device, MemoryKind kind,
                    uintptr_t stream, int64_t in_use) noexcept;
void note_freed(const void* data, Device device, MemoryKind kind, int64_t in_use) noexcept;

// Whether the lines and times of blocks are recorded from now on; returns whether they were. What
// was recorded is forgotten when it ends.
bool record_blocks(bool on);
// The recorded blocks of the device that are in use, in no order.
std::vector<LiveBlock> recorded_blocks(Device device);

struct ProfilePoint {
  double seconds;  // since the start
  int64_t bytes_in_use;
};
struct ProfileReport {
  int64_t peak_bytes = 0;  // most in use at a time, with what was in use at the start
  int64_t allocated_bytes = 0;
  int64_t allocations = 0;
  std::vector<ProfilePoint> timeline;
};
// A meter of the memory of a device (and what it has of managed memory), by number.
int64_t start_profile(Device device);
// Up to now. A timeline keeps at most 2^16 points: beyond,
// the higher of two neighbours.
ProfileReport read_profile(int64_t number);
void end_profile(int64_t number);

}  // namespace gpuarray
