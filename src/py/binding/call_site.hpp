// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string_view>

#include "py/binding/ref.hpp"

namespace gpuarray::py {

// A line of Python; `file` lies in `name`.
struct CallSite {
  Ref name;
  std::string_view file;
  int line = 0;  // 0: not known
};

// The innermost line of this thread outside gpuarray. The GIL must be held; finalizers of Python do
// not run, and an error that is set stays.
CallSite find_call_site() noexcept;

}  // namespace gpuarray::py
