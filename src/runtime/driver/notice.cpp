// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/notice.hpp"

#include <atomic>

namespace gpuarray {
namespace {

std::atomic<void (*)(const std::string&)> current = nullptr;

}  // namespace

void set_notice(void (*notice)(const std::string& text)) { current = notice; }

void notify(const std::string& text) {
  if (auto* notice = current.load()) notice(text);
}

}  // namespace gpuarray
