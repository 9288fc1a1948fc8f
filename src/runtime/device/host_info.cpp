// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/device/host_info.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

// Lowers `limit` to the number in a file of a control group. Groups without a limit say "max" or
// give a number beyond any memory.
void lower_to_file(int64_t& limit, const std::string& file) {
  int64_t found = 0;
  if (std::ifstream(file) >> found) limit = std::min(limit, found);
}

}  // namespace

int64_t process_memory_limit() {
  int64_t limit = host_properties().total_memory;
  lower_to_file(limit, "/sys/fs/cgroup/memory/memory.limit_in_bytes");  // version 1
  std::string group = read_field("/proc/self/cgroup", "0:");            // version 2
  while (true) {
    lower_to_file(limit, "/sys/fs/cgroup" + group + "/memory.max");
    if (group.empty()) return limit;
    group.resize(group.ends_with('/') ? group.size() - 1 : group.rfind('/'));
  }
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
