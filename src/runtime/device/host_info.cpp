// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/host_info.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <thread>

#include "core/divide.hpp"

namespace gpuarray {
namespace {

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

// Returns the cores' worth of time that a control group of version 2 may use, 0 for no limit.
double quota_of_group(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  return file >> quota >> period && period > 0 ? quota / period : 0;
}

// Returns the smallest quota of the process's control group and those above it, 0 for no limit.
double cpu_quota() {
  double least = 0;
  std::string group = read_field("/proc/self/cgroup", "0:");
  while (true) {
    const double quota = quota_of_group("/sys/fs/cgroup" + group);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) break;
    group.erase(slash);
  }
  std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (quota_file >> quota && period_file >> period && quota > 0 && period > 0)
    least = least == 0 ? quota / period : std::min(least, quota / period);
  return least;
}

int cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // beyond a set's 1024 cores
}

}  // namespace

int usable_cores() {
  const double quota = cpu_quota();
  int cores = cores_of_affinity();
  if (quota > 0) cores = std::min(cores, static_cast<int>(std::ceil(quota)));
  return std::max(cores, 1);
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
  static const DeviceProperties& known = *[] {
    std::string name = read_field("/proc/cpuinfo", "model name");
    return new DeviceProperties{
        .name = name.empty() ? "cpu" : name,
        .multiprocessors = static_cast<int>(std::thread::hardware_concurrency()),
        .total_memory = pages_to_bytes(sysconf(_SC_PHYS_PAGES))};
  }();
  return known;
}

MemoryInfo host_memory_info() {
  int64_t total = host_properties().total_memory;
  std::string available = read_field("/proc/meminfo", "MemAvailable");
  if (available.empty()) return {pages_to_bytes(sysconf(_SC_AVPHYS_PAGES)), total};
  return {std::stoll(available) * 1024, total};
}

}  // namespace gpuarray
