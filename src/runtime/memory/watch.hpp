// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "runtime/device/memory_kind.hpp"

// Records which line allocated which block and when, and profiles of the memory in use over time.
// Resources report to it only while someone has asked for either.
namespace gpuarray {

// Whether anyone has asked for records or a profile.
inline std::atomic<bool> memory_is_watched = false;
// Whether the line of each new block is recorded.
inline std::atomic<bool> blocks_are_recorded = false;

// A block in use.
struct LiveBlock {
  const void* data;
  int64_t nbytes;
  Device device;
  MemoryKind kind;
  uintptr_t stream;  // the CUstream that it was allocated on
  std::string site;  // "file.py:12", or "" if not known
  double age;        // seconds; infinite if the allocation was not recorded
};

// StatisticsResource calls these when a block was allocated, and before it is freed. `in_use`
// counts the bytes of that kind and device after the call. note_allocated() may call Python for the
// line.
void note_allocated(const void* data, int64_t nbytes, Device device, MemoryKind kind,
                    uintptr_t stream, int64_t in_use) noexcept;
void note_freed(const void* data, Device device, MemoryKind kind, int64_t in_use) noexcept;

// Starts or stops recording the lines and times of blocks, and returns whether they were recorded
// before. Stopping forgets the records.
bool record_blocks(bool on);
// Returns the recorded blocks of the device that are in use, in no order.
std::vector<LiveBlock> recorded_blocks(Device device);

// The memory in use at one time.
struct ProfilePoint {
  double seconds;  // since the start of the profile
  int64_t bytes_in_use;
};
// What a profile has measured.
struct ProfileReport {
  // The most that was in use at a time, including what was in use at the start.
  int64_t peak_bytes = 0;
  // The bytes and the number of the allocations since the start.
  int64_t allocated_bytes = 0;
  int64_t allocations = 0;
  std::vector<ProfilePoint> timeline;
};
// Starts to profile the memory of a device, and its managed memory. Returns the number of the
// profile.
int64_t start_profile(Device device);
// Returns the profile up to now. A timeline has at most 2^16 points; beyond that, each pair of
// neighbours is replaced by the higher one. Throws std::out_of_range for a number that was ended.
ProfileReport read_profile(int64_t number);
// Ends a profile and forgets it.
void end_profile(int64_t number);

}  // namespace gpuarray
