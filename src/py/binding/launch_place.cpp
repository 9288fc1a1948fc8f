// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "py/binding/launch_place.hpp"

#include <algorithm>
#include <string_view>

#include "py/binding/call_site.hpp"

namespace gpuarray::py {

thread_local const LaunchPlace* place_without_gil = nullptr;

namespace {

void set_place(LaunchPlace& place, std::string_view file, int line) {
  constexpr size_t kMost = LaunchPlace::kFileBytes - 1;
  if (file.size() > kMost) file.remove_prefix(file.size() - kMost);
  std::copy(file.begin(), file.end(), place.file);
  place.file[file.size()] = '\0';
  place.line = line;
}

}  // namespace

void find_place(LaunchPlace& place) noexcept {
  const CallSite site = find_call_site();
  if (site.line != 0) set_place(place, site.file, site.line);
}

void KeptPlace::keep() noexcept try {
  if (launch_mode() == 0) return;
  find_place(place_.emplace());
  place_without_gil = &*place_;
} catch (...) {  // the environment is wrong, which a launch will say
}

}  // namespace gpuarray::py
