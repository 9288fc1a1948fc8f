// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/error.hpp"
#include "runtime/device/device.hpp"
#include "runtime/memory/resources.hpp"

namespace gpuarray {
namespace {

struct Unit {
  const char* name;
  double nbytes;
};

constexpr Unit kUnits[] = {
    {"", 1},
    {"B", 1},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 1024},
    {"MiB", 1024.0 * 1024},
    {"GiB", 1024.0 * 1024 * 1024},
    {"TiB", 1024.0 * 1024 * 1024 * 1024},
};

// Returns the bytes in one unit; 0 if the unit is unknown. "%" is a hundredth of `total`.
double unit_bytes(const std::string& name, int64_t total) {
  if (name == "%") return static_cast<double>(total) / 100;
  for (const Unit& unit : kUnits)
    if (name == unit.name) return unit.nbytes;
  return 0;
}

std::string asked_text(Device device, int64_t nbytes) {
  return to_string(device) + ": out of memory: asked for " + std::to_string(nbytes) + " bytes (" +
         bytes_text(nbytes) + ")";
}

OutOfMemory out_of_memory(Device device, int64_t nbytes, int64_t limit) {
  const MemoryUsage usage = current_resource(device)->usage();
  const MemoryInfo memory = memory_info(device);
  const OutOfMemoryDetails found{.asked = nbytes,
                                 .used = memory_statistics(device).bytes_in_use,
                                 .cached = usage.cached,
                                 .free = memory.free,
                                 .limit = std::min(limit, usage.limit),
                                 .largest_free_block = usage.largest_free_block};
  std::string text = asked_text(device, nbytes) + ", " + bytes_text(found.used) +
                     " in use by arrays, " + bytes_text(found.cached) + " cached (largest block " +
                     bytes_text(found.largest_free_block) + "), " + bytes_text(found.free) +
                     " free of " + bytes_text(memory.total) + " total";
  if (found.limit != MemoryUsage::kNoLimit) text += ", limit " + bytes_text(found.limit);
  return OutOfMemory(text, found);
}

}  // namespace

std::string bytes_text(int64_t nbytes) {
  static const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (nbytes < 1024) return std::to_string(nbytes) + " bytes";
  double value = static_cast<double>(nbytes) / 1024;
  int unit = 0;
  for (; value >= 1024; value /= 1024) ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, units[unit]);
  return text;
}

int64_t parse_bytes(const std::string& text, int64_t total, const std::string& what) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const char* unit = stop;
  while (unit != end && *unit == ' ') ++unit;
  const double nbytes = number * unit_bytes(std::string(unit, end), total);
  if (error == std::errc() && nbytes >= 1 && nbytes < 0x1p62) return std::llround(nbytes);
  throw ValueError(what +
                   ": expected bytes such as \"4GiB\", \"512MB\", \"80%\" or 1048576, got \"" +
                   text + "\"");
}

void throw_out_of_memory(Device device, int64_t nbytes, int64_t limit) {
  // If the driver no longer answers, the error has no numbers; the next call says what happened.
  OutOfMemory error(asked_text(device, nbytes), {.asked = nbytes, .limit = limit});
  try {
    error = out_of_memory(device, nbytes, limit);
  } catch (const Error&) {
  }
  throw error;
}

}  // namespace gpuarray
