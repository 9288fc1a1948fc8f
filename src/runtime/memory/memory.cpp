// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/memory/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/fork.hpp"
#include "core/made_first.hpp"
#include "core/thread_safety.hpp"
#include "runtime/device/cuda_device.hpp"
#include "runtime/device/host_info.hpp"
#include "runtime/driver/driver.hpp"
#include "runtime/driver/driver_error.hpp"
#include "runtime/memory/caching.hpp"
#include "runtime/memory/debug.hpp"
#include "runtime/memory/host_pool.hpp"
#include "runtime/memory/resources.hpp"
#include "runtime/memory/segments.hpp"

namespace gpuarray {
namespace {

// The most bytes that the cpu device keeps for reuse: programs of many processes share a machine.
constexpr int64_t kMostHost = int64_t{1} << 30;

// A device's own resource and its parts that are asked for later. Never destroyed.
struct DeviceMemory {
  std::shared_ptr<MemoryCounters> counters = std::make_shared<MemoryCounters>();
  std::shared_ptr<LimitResource> limit;
  MemoryResourcePtr kept;
  MemoryResourcePtr own;  // `kept` without its count, which all threads would write
};

// The resource that a user has chosen, and the same inside a StatisticsResource.
struct Choice {
  MemoryResourcePtr given;
  MemoryResourcePtr counted;
};
struct DeviceChoice {
  Device device;
  Choice choice;
};

HeldAtFork choice_mutex;
std::vector<DeviceChoice>& process_choices GUARDED_BY(choice_mutex) =
    *new std::vector<DeviceChoice>;
std::atomic<bool> process_has_choices = false;
std::atomic<bool> has_thread_choices = false;  // whether a thread ever had any
thread_local std::vector<DeviceChoice> thread_choices;

HeldAtFork pools_mutex;
std::vector<std::weak_ptr<MemoryResource>>& pools GUARDED_BY(pools_mutex) =
    *new std::vector<std::weak_ptr<MemoryResource>>;

std::atomic<MemoryErrorReport> error_report = nullptr;

int64_t limit_variable(Device device) {
  const std::string text = text_variable("GPUARRAY_MEMORY_LIMIT");
  if (text.empty()) return MemoryUsage::kNoLimit;
  return parse_bytes(text, properties(device).total_memory, "GPUARRAY_MEMORY_LIMIT");
}

MemoryResourcePtr make_source(Device device) {
  if (device.is_cpu()) return std::make_shared<HostResource>();
  return std::make_shared<DriverResource>(device);
}

MemoryResourcePtr make_device_pool(MemoryResourcePtr upstream) {
  if (!upstream->device().is_cpu()) return make_pool(std::move(upstream));
  const int64_t most_kept = std::min(process_memory_limit() / 8, kMostHost);
  return std::make_shared<HostPoolResource>(std::move(upstream), most_kept);
}

DeviceMemory make(Device device) {
  DeviceMemory made;
  made.limit = std::make_shared<LimitResource>(make_source(device), limit_variable(device));
  MemoryResourcePtr top = make_device_pool(made.limit);
  if (integer_variable("GPUARRAY_MEMORY_DEBUG", 0) != 0)
    top = std::make_shared<DebugResource>(std::move(top));
  made.kept = std::make_shared<StatisticsResource>(std::move(top), made.counters);
  made.own = MemoryResourcePtr(MemoryResourcePtr(), made.kept.get());
  return made;
}

const DeviceMemory& memory_of(Device device) {
  if (device.is_cpu()) {
    static constinit MadeFirst<DeviceMemory> host;
    return host.get([device] { return make(device); });
  }
  static PerDevice<DeviceMemory> all;
  return all.get(device.index, [](int index) { return make(Device::cuda(index)); });
}

Choice* find(std::vector<DeviceChoice>& choices, Device device) {
  for (DeviceChoice& entry : choices)
    if (entry.device == device) return &entry.choice;
  return nullptr;
}

// Replaces the choice for the device and returns the previous one.
Choice choose(std::vector<DeviceChoice>& choices, Device device, MemoryResourcePtr resource) {
  Choice before;
  if (Choice* known = find(choices, device)) before = *known;
  std::erase_if(choices, [&](const DeviceChoice& entry) { return entry.device == device; });
  if (resource == nullptr) return before;
  auto counted = std::make_shared<StatisticsResource>(resource, memory_of(device).counters);
  choices.push_back({device, {std::move(resource), std::move(counted)}});
  return before;
}

Choice current_choice(Device device) {
  if (!thread_choices.empty())
    if (const Choice* found = find(thread_choices, device)) return *found;
  if (!process_has_choices.load(std::memory_order_acquire)) return {};
  const LockGuard lock(choice_mutex);
  const Choice* found = find(process_choices, device);
  return found == nullptr ? Choice{} : *found;
}

void check_device(Device device, const MemoryResourcePtr& resource) {
  if (resource == nullptr || resource->device() == device) return;
  throw DeviceError("expected a memory resource of " + to_string(device) + ", got one of " +
                    to_string(resource->device()));
}

bool has_choices() {
  return has_thread_choices.load(std::memory_order_relaxed) ||
         process_has_choices.load(std::memory_order_relaxed);
}

}  // namespace

MemoryResourcePtr current_resource(Device device) {
  if (has_choices())
    if (MemoryResourcePtr counted = current_choice(device).counted) return counted;
  return memory_of(device).own;
}

MemoryResourcePtr chosen_resource(Device device) { return current_choice(device).given; }

const MemoryResourcePtr& default_resource(Device device) { return memory_of(device).own; }

void set_resource(Device device, MemoryResourcePtr resource) {
  check_device(device, resource);
  memory_of(device);  // made before the lock is taken, because that may block
  Choice before;      // destroyed after the lock is released, because that may call Python
  const LockGuard lock(choice_mutex);
  before = choose(process_choices, device, std::move(resource));
  process_has_choices = !process_choices.empty();
}

MemoryResourcePtr set_thread_resource(Device device, MemoryResourcePtr resource) {
  check_device(device, resource);
  has_thread_choices = true;
  return choose(thread_choices, device, std::move(resource)).given;
}

MemoryStatistics memory_statistics(Device device) { return memory_of(device).counters->read(); }

void set_memory_limit(Device device, int64_t limit) { memory_of(device).limit->set_limit(limit); }
int64_t memory_limit(Device device) { return memory_of(device).limit->limit(); }

MemoryResourcePtr make_pool(MemoryResourcePtr upstream) {
  auto segments = std::make_shared<SegmentResource>(std::move(upstream));
  auto pool = std::make_shared<CachingResource>(std::move(segments));
  const LockGuard lock(pools_mutex);
  std::erase_if(pools, [](const auto& known) { return known.expired(); });
  pools.push_back(pool);
  return pool;
}

namespace {

// Makes every pool of the stream's device drop what it keeps for the stream.
void forget_stream(const Stream& stream) noexcept {
  std::vector<MemoryResourcePtr> alive;  // no pool ends under the lock
  {
    const LockGuard lock(pools_mutex);
    for (const auto& known : pools)
      if (MemoryResourcePtr pool = known.lock()) alive.push_back(std::move(pool));
  }
  for (const MemoryResourcePtr& pool : alive)
    if (pool->device() == stream.device()) pool->forget(stream);
}

[[maybe_unused]] const bool pools_forget = (set_stream_end_hook(forget_stream), true);

}  // namespace

MemoryInfo memory_info(Device device) {
  const int64_t cached = default_resource(device)->cached_bytes();
  if (device.is_cpu()) {
    const MemoryInfo host = host_memory_info();
    return {std::min(host.free + cached, host.total), host.total};
  }
  DeviceGuard on(device);
  size_t free = 0;
  size_t total = 0;
  GPUARRAY_CHECK(cuMemGetInfo(&free, &total));
  return {static_cast<int64_t>(free) + cached, static_cast<int64_t>(total)};
}

void set_memory_error_report(MemoryErrorReport report) { error_report = report; }

void report_kept(Device device, const std::string& what) noexcept {
  if (driver_end.load() != nullptr) return;  // nothing is freed any more
  quietly([&] {
    report_memory_error((to_string(device) + ": " + what +
                         " kept for good: the driver did not wait for the work that may use it")
                            .c_str());
  });
}

void report_memory_error(const char* text) noexcept {
  if (MemoryErrorReport report = error_report.load()) return report(text);
  std::fprintf(stderr, "gpuarray: %s\n", text);
}

}  // namespace gpuarray
