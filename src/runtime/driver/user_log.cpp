// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/user_log.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "core/environment.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr const char* kVariable = "GPUARRAY_LOG";

std::atomic<void (*)(LogLevel, const std::string&)> current = nullptr;
std::atomic<LogLevel> lowest = LogLevel::off;

}  // namespace

void read_log_variable() {
  const std::string text = text_variable(kVariable);
  std::string level = text;
  std::ranges::transform(level, level.begin(), [](unsigned char c) { return std::tolower(c); });
  if (level.empty()) return;
  if (level == "info") return set_logged(LogLevel::info);
  if (level == "debug") return set_logged(LogLevel::debug);
  throw ValueError(std::string(kVariable) + ": expected info or debug, got '" + text + "'");
}

void set_user_log(void (*write)(LogLevel, const std::string&)) { current = write; }

bool is_logged(LogLevel level) { return level >= lowest.load(); }

void set_logged(LogLevel level) { lowest = std::min(level, lowest.load()); }

void log_user(LogLevel level, const std::string& line) {
  if (auto* write = current.load()) write(level, line);
}

void log_compilation(const std::string& name, const std::string& target,
                     std::chrono::steady_clock::duration time) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  log_user(LogLevel::info,
           "compiled " + name + " for " + target + " in " + std::to_string(milliseconds) + " ms");
}

}  // namespace gpuarray
