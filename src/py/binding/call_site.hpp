// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>

#include "runtime/driver/call_site.hpp"
#include "runtime/stream/launch_mode.hpp"

// The call site of a thread: the innermost line of its Python code outside gpuarray.
namespace gpuarray::py {

// The call site of this thread when it released the GIL; null while it holds the GIL.
extern thread_local const CallSite* call_site_without_gil;

// Saves the call site of this thread for the scope in which it releases the GIL, so that launches
// in it can be attributed to a line. Must be constructed while the GIL is held. The site is left
// unknown unless launches note their lines.
class SavedCallSite {
 public:
  SavedCallSite() : outer_(call_site_without_gil) {
    static constexpr CallSite kUnknown;
    call_site_without_gil = &kUnknown;
    if (launch_mode_bits.load(std::memory_order_relaxed) != 0) [[unlikely]]
      save();
  }
  ~SavedCallSite() { call_site_without_gil = outer_; }
  SavedCallSite(const SavedCallSite&) = delete;
  SavedCallSite& operator=(const SavedCallSite&) = delete;

 private:
  void save() noexcept;

  const CallSite* outer_;
  std::optional<CallSite> site_;
};

}  // namespace gpuarray::py
