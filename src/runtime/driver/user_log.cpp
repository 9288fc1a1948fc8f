// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/user_log.hpp"

#include <atomic>

#include "core/environment.hpp"
#include "core/error.hpp"

namespace gpuarray {
namespace {

constexpr const char* kVariable = "GPUARRAY_LOG";

std::atomic<void (*)(LogLevel, const std::string&)> current = nullptr;

LogLevel level_asked_for() {
  const std::string text = text_variable(kVariable);
  if (text.empty()) return LogLevel::off;
  if (text == "info") return LogLevel::info;
  if (text == "debug") return LogLevel::debug;
  throw ValueError(std::string(kVariable) + ": expected info or debug, got '" + text + "'");
}

}  // namespace

void set_user_log(void (*write)(LogLevel, const std::string&)) { current = write; }

bool is_logged(LogLevel level) {
  static const LogLevel lowest = level_asked_for();
  return level >= lowest;
}

void log_user(LogLevel level, const std::string& line) {
  if (!is_logged(level)) return;
  if (auto* write = current.load()) write(level, line);
}

}  // namespace gpuarray
