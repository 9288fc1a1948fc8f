// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/code/image_kind.hpp"

namespace gpuarray {

// One file to be linked.
struct LinkInput {
  std::string content;
  std::string name;  // name in the linker's log
};

// What to link, and how.
struct LinkRequest {
  std::vector<LinkInput> inputs;     // inputs of any kind but source
  std::string architecture;          // "sm_90"
  std::optional<bool> lto;           // whether to link with LTO; unset: if an input holds LTO-IR
  std::vector<std::string> options;  // as nvJitLink takes them
};

// The linked code.
struct LinkResult {
  std::string code;  // a cubin
  std::string log;   // warnings, "" if there are none
};

// Links the inputs into one cubin by nvJitLink. It takes long, so hold no lock. Throws LinkError
// with the linker's log and the inputs' names and kinds, ValueError for an option that the linker
// does not know or an input that cannot be linked, DeviceError without a linker.
LinkResult link(const LinkRequest& request);

// Returns a text for the linker, which the result depends on besides the request.
std::string linker_identity();

}  // namespace gpuarray
