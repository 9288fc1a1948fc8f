// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/watch.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/fork.hpp"
#include "core/thread_safety.hpp"
#include "runtime/driver/call_site.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/memory/kinds.hpp"

namespace gpuarray {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostPoints = size_t{1} << 16;

struct Record {
  LiveBlock block;
  Clock::time_point time;
};

struct Profile {
  Device device;
  Clock::time_point start;
  int64_t in_use[2] = {};  // bytes of the device's own memory, and of managed memory
  ProfileReport report;
};

struct Watch {
  HeldAtFork mutex;
  std::unordered_map<const void*, Record> blocks GUARDED_BY(mutex);
  std::map<int64_t, Profile> profiles GUARDED_BY(mutex);
  int64_t next_profile GUARDED_BY(mutex) = 1;

  void update() REQUIRES(mutex) { memory_is_watched = blocks_are_recorded || !profiles.empty(); }
};

Watch& watch = *new Watch;  // never destroyed, because arrays may outlive static destruction

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

void add_point(Profile& profile) {
  ProfileReport& report = profile.report;
  const int64_t bytes = profile.in_use[0] + profile.in_use[1];
  report.peak_bytes = std::max(report.peak_bytes, bytes);
  std::vector<ProfilePoint>& points = report.timeline;
  points.push_back({seconds(Clock::now() - profile.start), bytes});
  if (points.size() < kMostPoints) return;
  for (size_t i = 0; i + 1 < points.size(); i += 2)
    points[i / 2] = points[i].bytes_in_use > points[i + 1].bytes_in_use ? points[i] : points[i + 1];
  points.resize(points.size() / 2);
}

void meter(Watch& all, int64_t allocated, Device device, MemoryKind kind, int64_t in_use)
    REQUIRES(all.mutex) {
  if (kind == MemoryKind::pinned) return;
  for (auto& [number, profile] : all.profiles) {
    if (profile.device != device) continue;
    profile.in_use[kind == MemoryKind::managed ? 1 : 0] = in_use;
    profile.report.allocated_bytes += allocated;
    profile.report.allocations += allocated > 0 ? 1 : 0;
    add_point(profile);
  }
}

}  // namespace

void note_allocated(const void* data, int64_t nbytes, Device device, MemoryKind kind,
                    uintptr_t stream, int64_t in_use) noexcept {
  // If the host has no memory for a record, the block is not recorded.
  quietly([&] {
    Watch& all = watch;
    {
      const LockGuard lock(all.mutex);
      meter(all, nbytes, device, kind, in_use);
    }
    if (!blocks_are_recorded) return;
    std::string site = to_string(call_site());  // not under the lock, because it may run Python
    const LockGuard lock(all.mutex);
    if (!blocks_are_recorded) return;
    LiveBlock block{data, nbytes, device, kind, stream, std::move(site), 0};
    all.blocks.insert_or_assign(data, Record{std::move(block), Clock::now()});
  });
}

void note_freed(const void* data, Device device, MemoryKind kind, int64_t in_use) noexcept {
  quietly([&] {
    Watch& all = watch;
    const LockGuard lock(all.mutex);
    meter(all, 0, device, kind, in_use);
    all.blocks.erase(data);
  });
}

bool record_blocks(bool on) {
  Watch& all = watch;
  const LockGuard lock(all.mutex);
  if (!on) all.blocks.clear();
  const bool before = blocks_are_recorded.exchange(on);
  all.update();
  return before;
}

std::vector<LiveBlock> recorded_blocks(Device device) {
  std::vector<LiveBlock> found;
  Watch& all = watch;
  const LockGuard lock(all.mutex);
  const Clock::time_point now = Clock::now();
  for (const auto& [data, record] : all.blocks) {
    if (record.block.device != device) continue;
    found.push_back(record.block);
    found.back().age = seconds(now - record.time);
  }
  return found;
}

int64_t start_profile(Device device) {
  Profile profile{device, Clock::now(), {}, {}};
  profile.in_use[0] = memory_statistics(device).bytes_in_use;
  profile.in_use[1] = kind_statistics(device, MemoryKind::managed).used.bytes_in_use;
  add_point(profile);
  Watch& all = watch;
  const LockGuard lock(all.mutex);
  const int64_t number = all.next_profile++;
  all.profiles.emplace(number, std::move(profile));
  all.update();
  return number;
}

ProfileReport read_profile(int64_t number) {
  Watch& all = watch;
  const LockGuard lock(all.mutex);
  return all.profiles.at(number).report;
}

void end_profile(int64_t number) {
  Watch& all = watch;
  const LockGuard lock(all.mutex);
  all.profiles.erase(number);
  all.update();
}

}  // namespace gpuarray
