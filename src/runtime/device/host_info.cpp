// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/host_info.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <thread>

#include "core/divide.hpp"
#include "core/made_first.hpp"

namespace gpuarray {
namespace {

// Returns the bytes of addresses that the process has mapped; 0 if the system does not tell.
int64_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  return file >> pages ? pages * sysconf(_SC_PAGESIZE) : 0;
}

// Returns the text after "key:" on the first line that begins with the key, "" if there is none.
std::string read_field(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

int64_t pages_to_bytes(long pages) { return int64_t{pages} * sysconf(_SC_PAGESIZE); }

// Calls visit(folder) for the process's control group of version 2 and those above it.
template <class Visit>
void for_each_group(Visit&& visit) {
  std::string group = read_field("/proc/self/cgroup", "0:");
  while (true) {
    visit("/sys/fs/cgroup" + group);
    if (group.empty()) return;
    group.resize(group.ends_with('/') ? group.size() - 1 : group.rfind('/'));
  }
}

// Lowers `limit` to the number in a file of a control group. Groups without a limit say "max" or
// give a number beyond any memory.
void lower_to_file(int64_t& limit, const std::string& file) {
  int64_t found = 0;
  if (std::ifstream(file) >> found) limit = std::min(limit, found);
}

// Lowers `cores` to a quota of time for each period; a negative one, or none, is no limit.
void lower_to_quota(double& cores, std::istream& quota, std::istream& period) {
  double most = 0, each = 0;
  if (quota >> most && period >> each && most > 0 && each > 0) cores = std::min(cores, most / each);
}

double cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // The first operation may come from a thread that is bound to fewer cores than the process.
  if (sched_getaffinity(getpid(), sizeof set, &set) == 0) return CPU_COUNT(&set);
  return std::thread::hardware_concurrency();  // more than the cores that a set holds
}

}  // namespace

int usable_cores() {
  double cores = cores_of_affinity();
  std::ifstream quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");  // version 1
  std::ifstream period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  lower_to_quota(cores, quota, period);
  for_each_group([&](const std::string& folder) {
    std::ifstream both(folder + "/cpu.max");
    lower_to_quota(cores, both, both);
  });
  return std::max(1, static_cast<int>(std::ceil(cores)));
}

int64_t process_memory_limit() {
  int64_t limit = host_properties().total_memory;
  lower_to_file(limit, "/sys/fs/cgroup/memory/memory.limit_in_bytes");  // version 1
  for_each_group([&](const std::string& folder) { lower_to_file(limit, folder + "/memory.max"); });
  return limit;
}

void advise_huge_pages(void* data, int64_t nbytes) noexcept {
  constexpr int64_t kWorthIt = int64_t{4} << 20;
  if (nbytes < kWorthIt) return;
  const int64_t address = reinterpret_cast<intptr_t>(data);
  const int64_t begin = round_up(address, sysconf(_SC_PAGESIZE));
  madvise(reinterpret_cast<void*>(begin), static_cast<size_t>(address + nbytes - begin),
          MADV_HUGEPAGE);
}

const DeviceProperties& host_properties() {
  static constinit MadeFirst<DeviceProperties> known;
  return known.get([] {
    std::string name = read_field("/proc/cpuinfo", "model name");
    return DeviceProperties{
        .name = name.empty() ? "cpu" : name,
        .multiprocessors = static_cast<int>(std::thread::hardware_concurrency()),
        .total_memory = pages_to_bytes(sysconf(_SC_PHYS_PAGES))};
  });
}

MemoryInfo host_memory_info() {
  int64_t total = host_properties().total_memory;
  std::string available = read_field("/proc/meminfo", "MemAvailable");
  const int64_t free =
      available.empty() ? pages_to_bytes(sysconf(_SC_AVPHYS_PAGES)) : std::stoll(available) * 1024;
  rlimit space;  // `ulimit -v`
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return {free, total};
  const int64_t limit = static_cast<int64_t>(space.rlim_cur);
  return {std::min(free, std::max<int64_t>(limit - address_space_in_use(), 0)),
          std::min(total, limit)};
}

}  // namespace gpuarray
