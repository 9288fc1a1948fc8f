// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/code/image_kind.hpp"

namespace gpuarray {

struct LinkInput {
  std::string content;
  std::string name;  // in logs
};

struct LinkRequest {
  std::vector<LinkInput> inputs;     // of any kind but source
  std::string architecture;          // "sm_90"
  std::optional<bool> lto;           // as is: where an input holds LTO-IR
  std::vector<std::string> options;  // as nvJitLink takes them
};

struct LinkResult {
  std::string code;  // a cubin
  std::string log;   // warnings, "" without any
};

// Links the inputs into one. Throws LinkError with the linker's log and the inputs' names and
// kinds, ValueError for an option that it does not know or an input that is none, DeviceError
// without a linker. Hold no lock.
LinkResult link(const LinkRequest& request);

// What the result depends on besides the request.
std::string linker_identity();

}  // namespace gpuarray
