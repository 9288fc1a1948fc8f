// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "core/gpu_archs.hpp"

#include <algorithm>
#include <charconv>

namespace gpuarray {
namespace {

bool runs(int number, std::string_view suffix, int capability) {
  if (suffix == "-virtual") return number <= capability;
  if (suffix == "a") return number == capability;
  return number / 10 == capability / 10 && number <= capability;
}

}  // namespace

bool runs_code_from(int oldest, std::string_view archs, int capability) {
  for (std::string_view rest = archs; !rest.empty();) {
    const std::string_view arch = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), arch.size() + 1));
    int number = 0;
    const char* end = std::from_chars(arch.data(), arch.data() + arch.size(), number).ptr;
    const std::string_view suffix(end, arch.data() + arch.size());
    if (number >= oldest && runs(number, suffix, capability)) return true;
  }
  return false;
}

}  // namespace gpuarray
