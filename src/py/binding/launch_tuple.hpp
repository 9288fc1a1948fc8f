// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The gpuarray developers
#pragma once

#include "core/launch.hpp"
#include "py/binding/ref.hpp"

namespace gpuarray::py {

// Returns a new tuple of the fields of gpuarray.Launch.
Ref launch_tuple(const Launch& launch);

}  // namespace gpuarray::py
