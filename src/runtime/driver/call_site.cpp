// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#include "runtime/driver/call_site.hpp"

#include <atomic>

namespace gpuarray {
namespace {

std::atomic<CallSiteFunction> known = nullptr;

}  // namespace

void set_call_site_function(CallSiteFunction function) { known = function; }

std::string call_site() {
  const CallSiteFunction function = known.load();
  return function == nullptr ? std::string() : function();
}

}  // namespace gpuarray
