// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/user_log.hpp"

#include <algorithm>
#include <atomic>

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
  if (text.empty()) return;
  if (text == "info") return set_logged(LogLevel::info);
  if (text == "debug") return set_logged(LogLevel::debug);
  throw ValueError(std::string(kVariable) + ": expected info or debug, got '" + text + "'");
}

void set_user_log(void (*write)(LogLevel, const std::string&)) { current = write; }

bool is_logged(LogLevel level) { return level >= lowest.load(); }

void set_logged(LogLevel level) { lowest = std::min(level, lowest.load()); }

void log_user(LogLevel level, const std::string& line) {
  if (auto* write = current.load()) write(level, line);
}

}  // namespace gpuarray
