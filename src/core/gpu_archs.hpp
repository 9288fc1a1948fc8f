// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include <string_view>

namespace gpuarray {

// Returns whether a device of compute capability `capability` (90 is 9.0) runs code that was
// compiled for `oldest` or newer. `archs` lists what there is, as BuildConfig::gpu_archs does: the
// driver takes machine code of the device's own major number, or else the newest PTX that is not
// newer than it.
bool runs_code_from(int oldest, std::string_view archs, int capability);

}  // namespace gpuarray
