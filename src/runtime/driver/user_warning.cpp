// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/user_warning.hpp"

#include <atomic>

namespace gpuarray {
namespace {

std::atomic<void (*)(const std::string&)> current = nullptr;

}  // namespace

void set_user_warning(void (*notice)(const std::string& text)) { current = notice; }

void warn_user(const std::string& text) {
  if (auto* notice = current.load()) notice(text);
}

}  // namespace gpuarray
